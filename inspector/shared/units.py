"""Numbers, shares, sizes and names as people read and write them."""

import re

# Of names that begin with a vowel, those that are not spoken so: UNet, User, Utility, OneHot.
_SPOKEN_WITHOUT = re.compile(r"(?i)un[ei]|us(?:e|a|u)|ut[ei]|one|eu(?!ler)")
_VOWEL = re.compile(r"[aeiouAEIOU]")
_TEENS = range(11, 14)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_SIZE = re.compile(r"([0-9]{1,15})\s*([KMG]?)(?:I?B)?", re.IGNORECASE)
_SHIFTS = {"": 0, "K": 10, "M": 20, "G": 30}
_MOST_SHOWN = 40
_BELOW_TEN = 9.95
_UNIT = 1024
_UNITS = ("B", "KiB", "MiB", "GiB")


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 graph``, ``3 graph breaks``, ``12,345 operators``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(size_bytes: int) -> str:
    """A size with two or three digits: ``512 B``, ``4.0 KiB``, ``134 MiB``."""
    if size_bytes < _UNIT:
        return f"{size_bytes} B"
    power = next((n for n in (1, 2) if size_bytes < _UNIT ** (n + 1)), 3)
    value = size_bytes / _UNIT**power
    return f"{value:.1f} {_UNITS[power]}" if value < _BELOW_TEN else f"{value:,.0f} {_UNITS[power]}"


def with_article(name: str) -> str:
    """A name behind the article that it is spoken with, as far as its letters tell."""
    is_vowel = _VOWEL.match(name) and not _SPOKEN_WITHOUT.match(name)
    return f"{'an' if is_vowel else 'a'} {name}"


def percent(share: float) -> str:
    """``42%``, at most ``100%``; ``<1%`` for what would be rounded to nothing."""
    said = f"{min(share, 1.0):.0%}"
    return "<1%" if share > 0 and said == "0%" else said


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    ending = "th" if number % 100 in _TEENS else _ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"


def parse_size(text: str) -> int:
    """The number of bytes that a text stands for; a suffix is a power of 1024.

    Raises:
        ValueError: It is no size; the message says how to write one.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
        raise ValueError(f"{shown!r} is not a size; use a form like 500000, 64M or 2G.")
    return int(match[1]) << _SHIFTS[match[2].upper()]
