"""The source text that a recording carries."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping

__all__ = ["SourceLine", "Sources"]


@dataclasses.dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of source text.

    Attributes:
        number: Line number from 1.
        text: The line without its line end.
    """

    number: int
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Sources:
    """Parts of source files.

    Attributes:
        lines: By file name, the known lines by number.
        whole: The files of which every line is known.
        digests: SHA-256 of the whole file by file name, as it was when it was recorded.
    """

    lines: Mapping[str, Mapping[int, str]] = dataclasses.field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    digests: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def line(self, file: str, number: int) -> str | None:
        """A line, or None where the recording does not have it."""
        return self.lines.get(file, {}).get(number)

    def excerpt(self, file: str, first: int, last: int) -> tuple[SourceLine, ...]:
        """The known lines of a range, both ends included."""
        known = self.lines.get(file, {})
        return tuple(
            SourceLine(number, known[number])
            for number in range(first, last + 1)
            if number in known
        )

    def qualname(self, file: str, line: int) -> str | None:
        """The qualified name of the function or class around a line, or None where unknown."""
        if file not in self.whole:
            return None
        known = self.lines[file]
        text = "\n".join(known.get(number, "") for number in range(1, max(known, default=0) + 1))
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        return ".".join(_names(tree, line)) or "<module>"


def _names(tree: ast.AST, line: int) -> tuple[str, ...]:
    for node in ast.iter_child_nodes(tree):
        if not _covers(node, line):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return (node.name, *_names(node, line))
        inner = _names(node, line)
        if inner:
            return inner
    return ()


def _covers(node: ast.AST, line: int) -> bool:
    first = getattr(node, "lineno", None)
    last = getattr(node, "end_lineno", None)
    if first is None or last is None:
        return False
    decorators = getattr(node, "decorator_list", None)
    begin = min([int(first), *(int(item.lineno) for item in decorators or ())])
    return begin <= line <= int(last)
