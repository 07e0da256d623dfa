"""What a value of a call is called: of several outputs each has its number, or its place."""

from __future__ import annotations

import re

__all__ = ["value_named"]

# As `inspector.capture.leaves` names what it took apart: `output of input 1[0]['a'].keys`.
_PLACED = re.compile(
    r"\boutput of (input \d+(?: \(called again\))?)"
    r"((?:\[(?:\d+|'[^']*'|\"[^\"]*\")\]|\.[^\W\d]\w*)+)"
)
_NUMBER = re.compile(r"\[(\d+)\]")


def value_named(text: str) -> str:
    """``output of input 1[0]``, as it is kept, reads ``output 1 of input 1``."""
    return _PLACED.sub(_named, text)


def _named(found: re.Match[str]) -> str:
    number = _NUMBER.fullmatch(found[2])
    place = f" {int(number[1]) + 1}" if number else found[2]
    return f"output{place} of {found[1]}"
