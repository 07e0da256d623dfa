"""The lines of a graph's text, each with the user's line that it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.records.stack import StackFrame

_FILE = re.compile(
    r"\s*# (?:[^#]*? )?File: (?P<file>.+?):(?P<line>\d{1,9}) in (?P<name>[^,]+)"
    r"(?:, code: (?P<code>.*))?"
)
_NO_FILE = re.compile(r"\s*# (?:[^#]*? )?No stacktrace found")


def placed_lines(text: str) -> Iterator[tuple[str, StackFrame | None]]:
    """Each line of the code, with the innermost frame that torch printed above it, or None."""
    place = None
    for line in text.split("\n"):
        if file := _FILE.match(line):
            code = (file["code"] or "").strip()
            place = StackFrame(file["file"], int(file["line"]), file["name"], code)
        elif _NO_FILE.match(line):
            place = None
        else:
            yield line, place
