"""The source text that a recording carries."""

import ast
import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping

# Of a longer file, or a damaged number, no lines are made up.
_DEFINITION = re.compile(r"\s*(?:(?:async\s+)?def|class)\s")
_MOST_DECORATOR_LINES = 40


@dataclasses.dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of source text."""

    number: int
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Sources:
    """Parts of source files.

    Attributes:
        lines: By file name, the known lines by number.
        whole: The files of which every line is known, from 1 to the last.
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
        # Over the lines that are known: the range comes from a log and can be of any length.
        numbers = sorted(number for number in known if first <= number <= last)
        return tuple(SourceLine(number, known[number]) for number in numbers)

    def definition_line(self, file: str, first: int) -> int:
        """The line of the ``def`` or ``class`` of code that begins at ``first``, its decorator."""
        if not (self.line(file, first) or "").lstrip().startswith("@"):
            return first
        lines = self.excerpt(file, first, first + _MOST_DECORATOR_LINES)
        return next((line.number for line in lines if _DEFINITION.match(line.text)), first)

    def text(self, file: str) -> str | None:
        """The whole text of a file, or None where the recording does not have all of it."""
        if file not in self.whole:
            return None
        known = self.lines.get(file, {})
        return "\n".join(known.get(number, "") for number in range(1, len(known) + 1))

    def qualname(self, file: str, line: int) -> str | None:
        """The qualified name of the function or class around a line, or None where unknown."""
        text = self.text(file)
        definitions = _definitions(text) if text is not None else None
        if definitions is None:
            return None
        around = (name for first, last, name in definitions if first <= line <= last)
        return next(around, "<module>")


# A file has several findings, and only a few files have any.
@functools.lru_cache(maxsize=16)
def parsed(text: str) -> ast.Module | None:
    """The syntax of a program, which nobody may change; None where it is no Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # also of deep nesting
        return None


def expression(text: str) -> ast.expr | None:
    """The syntax of an expression; None where it is none."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# Every finding asks for the same few files, and what is cached is small.
@functools.lru_cache(maxsize=64)
def _definitions(text: str) -> tuple[tuple[int, int, str], ...] | None:
    """(first line, last line, qualified name) of all definitions, inner before outer ones.

    None where the text is no Python.
    """
    tree = parsed(text)
    return tuple(_named(tree))[::-1] if tree is not None else None


def _named(tree: ast.AST) -> Iterator[tuple[int, int, str]]:
    """The definitions in a tree, outer before inner ones; a long ``elif`` chain nests deeply."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, prefix = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = prefix + node.name
            prefix = f"{name}."
            begin = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            yield begin, node.end_lineno or begin, name
        waiting += [
            (child, prefix)
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]
