"""Rows of a recording whose log is written here, as a process writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.benches.rows import INTERRUPTED
from inspector.findings.bench_wording import details, error_text
from tests.unit.bench_logs import block, report_of
from tests.unit.bench_logs import rows_of as rows


def test_the_part_of_a_call_in_which_the_gpu_works(tmp_path: Path) -> None:
    busy = {"what": "busy", "combination": 1, "busy_ns": 150_000, "launches": 9}
    eager, compiled = rows(tmp_path, "whole", block(0, 400_000), block(1, 200_000), busy)
    assert compiled.busy == pytest.approx(0.75)
    assert "the GPU works 75% of it, on 9 pieces of work" in details(compiled)
    assert eager.busy is None
    assert "GPU" not in details(eager)


def test_a_gpu_does_not_work_for_more_than_the_call(tmp_path: Path) -> None:
    busy = {"what": "busy", "combination": 0, "busy_ns": 410_000, "launches": 1}
    (eager, _) = rows(tmp_path, "whole", block(0, 400_000), busy)
    assert eager.busy == 1


def test_what_was_not_reached_before_ctrl_c_says_so(tmp_path: Path) -> None:
    eager, compiled = rows(tmp_path, "interrupted", block(0, 400_000))
    assert (eager.failure, compiled.failure) == ("", INTERRUPTED)
    assert rows(tmp_path, "whole", block(0, 400_000))[1].failure == ""


def errors(combination: int, reference: str, *given: tuple[str, float, str]) -> dict[str, object]:
    found = [
        {"reference": reference, "name": name, "relative": relative, "scale": scale}
        for name, relative, scale in given
    ]
    return {"what": "errors", "combination": combination, "errors": found, "wrong": []}


def test_results_that_are_rounding_alone_are_named_and_no_error(tmp_path: Path) -> None:
    own = ("output of input 1", 3e-7, "itself")
    small = ("gradient of bias with input 1", 4e-9, "family")
    alone = ("output of input 1", 0.8, "rounding")
    report = report_of(
        tmp_path, block(0, 400), block(1, 200), errors(0, "float64", own, small),
        errors(1, "eager", alone),
    )  # fmt: skip
    assert [error_text(row) for row in report.rows] == ["3e-07", "rounding"]
    assert (
        "0 but for rounding: gradient of bias with input 1. Such errors are told as a part of the "
        "largest element of all results of their kind" in report.notices
    )
    assert any(notice.endswith("all is error, too") for notice in report.notices)


def test_a_scale_that_nobody_knows_is_the_results_own(tmp_path: Path) -> None:
    old = errors(1, "eager", ("output of input 1", 3e-7, "of a newer version"))
    assert error_text(rows(tmp_path, "whole", block(0, 4), block(1, 2), old)[1]) == "3e-07"
