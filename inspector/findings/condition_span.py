"""Where the condition of a branch stands, when Python's instruction is of the whole statement."""

from __future__ import annotations

import ast
import functools
from typing import TypeAlias

_Branch: TypeAlias = ast.If | ast.While | ast.Assert


def condition_span(text: str, line: int, column: int) -> tuple[int, int, int] | None:
    """First column, last line and end column of a branch's condition, or None for anything else.

    CPython 3.11 to 3.13 place the jump of ``if f(x):`` at the statement with all that is in it, and
    that of ``if x > 0:`` at the comparison.

    Args:
        text: The whole file.
        line: The line on which the statement begins, from 1.
        column: Where it begins there, 0-based, in characters.
    """
    lines = text.split("\n")
    if line > len(lines):
        return None
    own = lines[line - 1]
    offset = len(own[:column].encode("utf-8", "surrogatepass"))
    found = [node for node in _branches(text) if _is_at(node, line, offset)]
    if not found:
        return None
    branch, test = found[-1], found[-1].test
    last, end = test.end_lineno or 0, test.end_col_offset or 0
    if last > len(lines):
        return None  # Python ends lines where we do not
    if test.lineno == line:
        begin = _characters(own, test.col_offset)
    else:
        begin = column if branch.lineno == line else len(own) - len(own.lstrip())
    return begin, last, _characters(lines[last - 1], end)


def _is_at(branch: _Branch, line: int, offset: int) -> bool:
    """Whether a branch has the column, and the line is the first one or another of its condition.

    Torch says the line that was traced last, with the columns of the statement.
    """
    last = branch.test.end_lineno or 0
    return branch.col_offset == offset and branch.lineno <= line <= max(last, branch.lineno)


def _characters(line: str, offset: int) -> int:
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace"))


# A file has several findings, and only a few files have any.
@functools.lru_cache(maxsize=16)
def _branches(text: str) -> tuple[_Branch, ...]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # also of deep nesting
        return ()
    return tuple(
        node for node in ast.walk(tree) if isinstance(node, ast.If | ast.While | ast.Assert)
    )
