"""Sizes in bytes as people write them: ``500000``, ``64M``, ``2G``."""

from __future__ import annotations

import re

_SIZE = re.compile(r"([0-9]{1,15})\s*([KMG]?)(?:I?B)?", re.IGNORECASE)
_SHIFTS = {"": 0, "K": 10, "M": 20, "G": 30}
_MOST_SHOWN = 40


def parse_size(text: str) -> int:
    """The number of bytes that a text stands for; a suffix is a power of 1024.

    Raises:
        ValueError: It is no size; the message says how to write one.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
        raise ValueError(f"{shown!r} is no size; write 500000, 64M or 2G.")
    return int(match[1]) << _SHIFTS[match[2].upper()]
