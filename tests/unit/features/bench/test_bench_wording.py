"""How figures of `inspect bench` are written."""

from __future__ import annotations

import pytest

from inspector.features.bench.ratio import Ratio
from inspector.features.bench.wording import TIMES, faster_text


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (1.995, 2.005, "±0.3%"),
        (1.8, 2.2, "±11%"),
        (1.4, 2.6, "±43%"),
        (1.4, 2.1, "(1.40\N{EN DASH}2.10)"),  # further to one side
        (1.0, 3.5, "(1.00\N{EN DASH}3.50)"),
        (0.2, 20.0, "(0.20\N{EN DASH}20)"),
        (0.003, 1300.0, "(<0.01\N{EN DASH}>999)"),
        (0.006, 999.7, "(0.01\N{EN DASH}>999)"),
        (0.1, 9.996, "(0.10\N{EN DASH}10)"),
    ],
)
def test_an_interval_is_as_wide_as_can_be_read(low: float, high: float, said: str) -> None:
    assert faster_text(Ratio(low, 2.0, high)) == f"2.00{TIMES} {said}"
