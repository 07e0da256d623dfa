"""How figures of `inspect bench` are written."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inspector.features.bench.ratio import Ratio
from inspector.features.bench.wording import TIMES, failed_title, faster_text, varied_text
from inspector.shared.variation import Assignment
from tests.unit.bench_logs import PLAN, block, report_of


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


def test_what_varies_stands_above_all() -> None:
    assert varied_text(()) == ""
    each = [(Assignment("x", 0, size), Assignment("n", None, n)) for n in (1, 2) for size in (0, 4)]
    assert varied_text(each) == "4 inputs: x[0]=0,4; n=1,2"
    assert varied_text(each[:1]) == "1 input: x[0]=0; n=1"


def test_what_failed_has_its_input_where_they_vary(tmp_path: Path) -> None:
    made = ((Assignment("n", None, 17),), (Assignment("n", None, 100),))
    events = [block(0, 1_000_000, input=0), block(0, 1_000_000, input=1)]
    varied = report_of(tmp_path, *events, plan=dataclasses.replace(PLAN, variations=made))
    second = next(row for row in varied.rows if row.input == 1)
    assert failed_title(second, varied) == f"{second.setting.label} failed with n=100"
    alone = dataclasses.replace(varied, plan=PLAN)
    assert failed_title(second, alone) == f"{second.setting.label} failed"
