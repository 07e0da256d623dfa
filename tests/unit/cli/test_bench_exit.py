"""The exit code of a bench: 3 where nothing could be measured beside eager PyTorch."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inspector.cli.bench_measure import exit_code
from inspector.features.bench.report import BenchReport
from tests.unit.bench_logs import PLAN, block, report_of


def of(tmp_path: Path, *measured: int, failure: str = "") -> BenchReport:
    report = report_of(tmp_path, *(block(at, 1_000_000) for at in measured), plan=PLAN)
    groups = [
        dataclasses.replace(
            group, rows=tuple(dataclasses.replace(row, failure=failure) for row in group.rows)
        )
        for group in report.groups
    ]
    return dataclasses.replace(report, groups=tuple(groups)) if failure else report


@pytest.mark.parametrize(("measured", "code"), [((0, 1), 0), ((0,), 3), ((), 3)])
def test_what_was_measured_decides(measured: tuple[int, ...], code: int, tmp_path: Path) -> None:
    assert exit_code(of(tmp_path, *measured)) == code


def test_eager_that_fails_in_a_later_session_is_a_failure(tmp_path: Path) -> None:
    assert exit_code(of(tmp_path, 0, 1, failure="it crashed")) == 3
