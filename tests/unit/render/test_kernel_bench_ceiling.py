"""What is said of a kernel that moves bytes about as fast as the machine can."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from inspector.features.profile.kernel_bench.report import KernelBenchReport, Rate
from tests.unit.render.bench_reports import benched as bench
from tests.unit.render.bench_reports import kernel_report as report
from tests.unit.render.test_kernel_bench import rendered


def near_a_ceiling(tmp_path: Path, share: float, **changes: Any) -> KernelBenchReport:
    """With a share of memory's bandwidth by Inductor's count of bytes."""
    alone = bench(**changes)
    rates = (Rate("cold", "bytes", share * 4e12, 4e12, "copy_bytes_per_s"),)
    found = report(tmp_path, alone)
    return dataclasses.replace(found, rates=rates, bytes_are_inductors=True)


NO_WIN = "only fewer bytes help"


def test_near_a_ceiling_only_fewer_bytes_help(tmp_path: Path) -> None:
    found = near_a_ceiling(tmp_path, 0.91)
    for name in ("terminal", "markdown"):
        words = " ".join(rendered(found, name).replace("\\", "").split())
        assert (
            "alone, with cold caches, it reaches 91% of memory's bandwidth: only fewer bytes help "
            "(fusion with what writes its inputs or reads its results)"
        ) in words


@pytest.mark.parametrize("share", [0.79, 1.2])
def test_far_from_a_ceiling_nothing_is_said_of_it(tmp_path: Path, share: float) -> None:
    assert NO_WIN not in rendered(near_a_ceiling(tmp_path, share), "terminal")


def test_nothing_is_said_of_a_ceiling_where_a_figure_is_not_sure(tmp_path: Path) -> None:
    found = near_a_ceiling(tmp_path, 0.91)
    warm = (dataclasses.replace(found.rates[0], regime="warm"),)
    for other in (
        dataclasses.replace(found, bytes_are_inductors=False),
        dataclasses.replace(found, ceilings=None, rates=()),
        # A cache that has a part of it makes it as fast, too.
        dataclasses.replace(found, rates=warm, regime="warm", bytes_=60_000_000),
    ):
        assert NO_WIN not in rendered(other, "terminal")
    large = dataclasses.replace(found, rates=warm, regime="warm", bytes_=100_000_000)
    assert NO_WIN in " ".join(rendered(large, "terminal").split())
