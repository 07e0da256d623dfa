"""Tables of strings: what repeats in a graph of thousands of nodes is written once."""

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r"(.*?)(?:_(0|[1-9]\d{0,8}))?", re.DOTALL)


class Strings:
    """Numbers strings in the order in which they are first seen."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The number of a string."""
        return self._numbers.setdefault(text, len(self._numbers))

    def texts(self) -> list[str]:
        """All strings, by their numbers."""
        return list(self._numbers)


def named(names: Iterable[str], texts: Strings) -> list[int]:
    """Names of nodes as pairs of numbers, which compress ten times better than the names do.

    Of ``add``, ``add_1``, ``add_2`` the number of the text before, which ``texts`` gets, and the
    name's own number as the difference from the one that would be next for this text; a name
    without a number counts as -1.
    """
    expected: dict[str, int] = {}
    pairs = []
    for name in names:
        found = _NUMBERED.fullmatch(name)
        base, digits = (name, None) if found is None else found.groups()
        number = -1 if digits is None else int(digits)
        pairs += [texts.number(base), number - expected.get(base, -1)]
        expected[base] = max(number, 0) + 1
    return pairs
