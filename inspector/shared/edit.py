"""Changes of a source file, as data: what stands somewhere, and what is to stand there."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable
from typing import TypeAlias

Setting: TypeAlias = tuple[str, bool | tuple[str, ...]]
"""A setting of ``torch._dynamo.config``: its name, and its value or, of a set of functions, their
names as ``module.name``."""


@dataclasses.dataclass(frozen=True, slots=True)
class Edit:
    """One replacement of source text.

    Lines count from 1, columns from 0 and in bytes of UTF-8, as Python's syntax trees have them.

    Attributes:
        new: The new text of the lines.
        file: The file, as Python names it in its code; empty where it is known from elsewhere.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    old: str
    new: str
    is_statement: bool
    file: str = ""

    def overlaps(self, other: Edit) -> bool:
        """Whether two changes of one file are about the same characters."""
        return (
            self.file == other.file
            and (self.line, self.column) < (other.end_line, other.end_column)
            and (other.line, other.column) < (self.end_line, self.end_column)
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Rewrite:
    """Edits that together apply one piece of advice to a file.

    Attributes:
        file: Path of the file relative to the project directory, for display.
    """

    advice: str
    file: str
    line: int
    edits: tuple[Edit, ...]
    caution: str = ""

    @property
    def place(self) -> str:
        """``model.py:14``."""
        return f"{self.file}:{self.line}"

    @property
    def shown(self) -> str:
        """The new code, for people, on one line."""
        return self._text("")

    @property
    def in_sentence(self) -> str:
        """The same with the code in backticks, for a sentence."""
        return self._text("`")

    def _text(self, mark: str) -> str:
        parts = [
            f"{mark}{edit.new}{mark}"
            + ("" if edit.is_statement else f" instead of {mark}{edit.old}{mark}")
            for edit in self.edits
            if edit.new != "pass"
        ]
        return " ".join("; ".join(parts or [f"{mark}pass{mark}"]).split())

    def overlaps(self, other: Rewrite) -> bool:
        """Whether both cannot be made."""
        return any(one.overlaps(two) for one in self.edits for two in other.edits)


def edited(text: str, edits: Iterable[Edit]) -> str:
    r"""A file's text with changes made; every line that is not changed keeps its number.

    Raises:
        ValueError: Something else stands there, or two changes are about the same characters.
    """
    lines = [line.encode("utf-8", "surrogatepass") for line in text.split("\n")]
    changes = sorted({*edits}, key=lambda edit: (edit.line, edit.column), reverse=True)
    if any(one.overlaps(two) for one, two in itertools.pairwise(changes)):
        raise ValueError("two changes overlap")
    for edit in changes:  # from the end on, so that places stay what they are
        if edit.end_line > len(lines):
            raise ValueError(f"the file has no line {edit.end_line}")
        inner = lines[edit.line - 1 : edit.end_line]
        before, behind = inner[0][: edit.column], inner[-1][edit.end_column :]
        whole = b"\n".join(inner)
        found = whole[len(before) : len(whole) - len(behind)].decode("utf-8", "surrogatepass")
        if found != edit.old:
            raise ValueError(f"line {edit.line} has changed")
        # Within a statement lines may end in parentheses only.
        missing = "\n" * (len(inner) - 1 - edit.new.count("\n"))
        new = edit.new + missing
        if missing and not edit.is_statement:
            new = f"({new})"
        made = before + new.encode("utf-8", "surrogatepass") + behind
        lines[edit.line - 1 : edit.end_line] = made.split(b"\n")
    return b"\n".join(lines).decode("utf-8", "surrogatepass")
