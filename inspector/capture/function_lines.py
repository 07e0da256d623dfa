"""Which lines of a file are the function around one of them, told by how they are indented."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MOST_LINES = 400
_DEFINITION = re.compile(r"\s*(?:async\s+)?def\s")
# A signature or a call of several lines ends as far left as it began.
_CLOSED = re.compile(r"\s*[)\]}]")


def function_lines(lines: Sequence[str], line: int) -> range | None:
    """The lines of the innermost function around a line.

    Nothing is parsed: of a large file that takes longer than compiling some functions does.

    Returns:
        The numbers from ``def`` to the last line, or None where no function is found by its
        indentation, or a very long one.
    """
    first = _definition(lines, line)
    if first is None:
        return None
    own, last = _indentation(lines[first - 1]), first
    for number, text in enumerate(lines[first : first + _MOST_LINES], first + 1):
        if text.strip() and _indentation(text) <= own and not _CLOSED.match(text):
            return range(first, last + 1) if last >= line else None
        last = number if text.strip() else last
    is_all = len(lines) <= first + _MOST_LINES
    return range(first, last + 1) if is_all and last >= line else None


def _definition(lines: Sequence[str], line: int) -> int | None:
    """The line of the ``def`` that is less indented than all between it and the line."""
    if not 1 <= line <= len(lines) or not lines[line - 1].strip():
        return None
    if _DEFINITION.match(lines[line - 1]):
        return line
    least = _indentation(lines[line - 1])
    for number in range(line - 1, max(0, line - _MOST_LINES), -1):
        text = lines[number - 1]
        if text.strip() and _indentation(text) < least and not _CLOSED.match(text):
            if _DEFINITION.match(text):
                return number
            least = _indentation(text)
    return None


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())
