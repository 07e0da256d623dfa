"""Numbers in an order have the endings that English gives them."""

from __future__ import annotations

from inspector.model.ordinal import ordinal


def test_endings_are_those_of_english() -> None:
    numbers = 1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 101, 111, 1002
    assert [ordinal(number) for number in numbers] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "101st",
        "111th", "1,002nd",
    ]  # fmt: skip
