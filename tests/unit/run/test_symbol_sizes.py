"""Sizes with symbols in them, at the values that they had."""

from __future__ import annotations

import pytest

from inspector.run.cache_entries.relation import size_at


@pytest.mark.parametrize(
    ("size", "value"),
    [
        (7, 7),
        ("7", 7),
        ("s0", 8),
        ("2*s0 + 1", 17),
        ("s0*s1 - 4", 20),
        ("(s0//2)", 4),
        ("s0 % 3", 2),
        ("s7", None),
        ("2*s7", None),
        ("s0 // 0", None),
        ("Max(1, s0)", 8),
        ("s0 +", None),
        ("", None),
    ],
)
def test_values(size: int | str, value: int | None) -> None:
    assert size_at(size, {"s0": 8, "s1": 3}) == value
