"""How figures of `inspect bench` are written."""

from __future__ import annotations

import pytest

from inspector.benches.ratio import Ratio
from inspector.findings.bench_wording import TIMES, faster_text, varied_text
from inspector.model.variation import Assignment


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (1.995, 2.005, "±0.3%"),
        (1.8, 2.2, "±11%"),
        (0.2, 20.0, "±900%"),
        (0.003, 1300.0, "±>999%"),
    ],
)
def test_an_interval_is_as_wide_as_can_be_read(low: float, high: float, said: str) -> None:
    assert faster_text(Ratio(low, 2.0, high)) == f"2.00{TIMES} {said}"


def test_what_varies_stands_above_all() -> None:
    assert varied_text(()) == ""
    each = [(Assignment("x", 0, size), Assignment("n", None, n)) for n in (1, 2) for size in (0, 4)]
    assert varied_text(each) == "4 inputs: x[0]=0,4; n=1,2"
    assert varied_text(each[:1]) == "1 input: x[0]=0; n=1"
