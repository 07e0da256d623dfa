"""Rows of a recording whose log is written here, as a process writes it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inspector.cli.bench_measure import exit_code
from inspector.features.bench.page import page
from inspector.features.bench.rows import INTERRUPTED
from inspector.features.bench.wording import details
from tests.unit.bench_logs import block, first, report_of
from tests.unit.bench_logs import rows_of as rows


def test_the_part_of_a_call_in_which_the_gpu_works(tmp_path: Path) -> None:
    busy = {"what": "busy", "combination": 1, "busy_ns": 150_000, "launches": 9}
    eager, compiled = rows(tmp_path, "whole", block(0, 400_000), block(1, 200_000), busy)
    assert compiled.busy == pytest.approx(0.75)
    assert "GPU busy 75%, 9 launches" in details(compiled)
    assert eager.busy is None
    assert "GPU" not in details(eager)
    longer = {**busy, "combination": 0, "busy_ns": 410_000}  # measured apart
    assert rows(tmp_path, "whole", block(0, 400_000), longer)[0].busy == 1


def test_what_was_not_reached_before_ctrl_c_says_so(tmp_path: Path) -> None:
    eager, compiled = rows(tmp_path, "interrupted", block(0, 400_000))
    assert (eager.failure, compiled.failure) == ("", INTERRUPTED)
    assert rows(tmp_path, "whole", block(0, 400_000))[1].failure == ""


@pytest.mark.parametrize(("measured", "code"), [((0, 1), 0), ((0,), 3), ((), 3)])
def test_what_was_measured_decides_the_exit_code(
    measured: tuple[int, ...], code: int, tmp_path: Path
) -> None:
    report = report_of(tmp_path, *(block(at, 1_000_000) for at in measured))
    assert exit_code(report) == code
    eager = dataclasses.replace(report.groups[0].rows[0], failure="it crashed in a later session")
    failed = dataclasses.replace(report.groups[0], rows=(eager, *report.groups[0].rows[1:]))
    assert exit_code(dataclasses.replace(report, groups=(failed,))) == 3


@pytest.mark.parametrize(
    ("first_ns", "second_ns", "calls"),
    [
        (900, 100, 1),  # its first call is shorter than eager PyTorch's
        (1_880, 100, 9),  # 2 and 680 ns at 100 ns a call
        (1_880, 1_100, 19),  # the second call records CUDA graphs
        (1_880, 0, 9),  # no second call is known: as long as later ones
    ],
)
def test_the_second_call_has_to_be_paid_for_too(
    tmp_path: Path, first_ns: int, second_ns: int, calls: int
) -> None:
    rounds = [block(at, ns, round=n) for at, ns in ((0, 200), (1, 100)) for n in range(4)]
    firsts = (
        first(0, first_ns=1_000, second_ns=300),
        first(1, first_ns=first_ns, second_ns=second_ns),
    )
    _, compiled = rows(tmp_path, "whole", *firsts, *rounds)
    assert compiled.break_even_calls == calls


def test_where_nothing_is_faster_the_next_step_profiles_what_comes_nearest(tmp_path: Path) -> None:
    slower = [block(at, ns, round=n) for at, ns in ((0, 100), (1, 200)) for n in range(4)]
    assert page(report_of(tmp_path, *slower)).next_steps == ("inspect profile model.py --no-grad",)
    faster = [block(at, ns, round=n) for at, ns in ((0, 200), (1, 100)) for n in range(4)]
    assert page(report_of(tmp_path, *faster)).next_steps == ()
