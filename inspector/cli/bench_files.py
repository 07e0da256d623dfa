"""Writes a bench of one model as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from inspector.cli.output import write_bytes
from inspector.errors import UsageError
from inspector.features.bench.collection_report import CollectionReport
from inspector.features.bench.report import BenchReport
from inspector.features.bench.wording import group_title
from inspector.plugins import renderer_for_suffix

Measurements: TypeAlias = BenchReport | CollectionReport
"""A report of what was measured with warm calls."""
_PICTURES = frozenset({".svg", ".png", ".pdf"})


def is_picture(output: Path | None) -> bool:
    """Whether a file is a picture, and no report."""
    return output is not None and output.suffix.lower() in _PICTURES


def check_bench_file(output: Path, kind: type[Measurements]) -> None:
    """Refuses what cannot be written before anything is measured.

    Raises:
        UsageError: A report of this kind has no picture, or the suffix is no format.
        EnvironmentLacksError: matplotlib is not installed.
    """
    if not is_picture(output):
        renderer_for_suffix(output, others=_PICTURES if kind is BenchReport else ())
        return
    if kind is not BenchReport:
        raise UsageError("A collection has no picture.", "Write .md or .json.")
    from inspector.features.bench.bars import check_can_draw

    check_can_draw()


def write_picture(report: BenchReport, output: Path) -> None:
    """Draws the latencies as bars.

    Raises:
        EnvironmentLacksError: matplotlib is not installed.
        RecordingError: There is nothing to draw, or the file cannot be written.
    """
    from inspector.features.bench.bars import draw_bars

    several = len({group.input for group in report.groups}) > 1
    # What varies, by input: shapes alone do not tell values apart.
    varied = {item.row.input: item.label for each in report.varied for item in each.inputs}
    groups = [
        (varied.get(group.input) or group_title(group, several=several), group.rows)
        for group in report.groups
    ]
    parts = report.plan.target, report.device, f"torch {report.run.torch}"
    title = " · ".join(filter(None, parts))
    write_bytes(output, draw_bars(groups, title, output.suffix.lower().removeprefix(".")))
