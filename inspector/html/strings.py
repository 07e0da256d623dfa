"""Tables of strings: what repeats in a graph of thousands of nodes is written once."""

from __future__ import annotations


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
