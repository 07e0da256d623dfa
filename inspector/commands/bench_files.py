"""Writes a bench as a picture or as CSV."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterator
from pathlib import Path

from inspector.benches.rows import BenchRow
from inspector.commands.output import write_bytes
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.findings.bench_report import BenchReport
from inspector.findings.bench_wording import group_title
from inspector.findings.claims_report import ClaimsReport
from inspector.findings.collection_report import CollectionReport
from inspector.renderers.csv import write_bench_rows

__all__ = ["is_bench_file", "write_bench_file"]

_PICTURES = (".svg", ".png", ".pdf")
_TABLE = ".csv"


def is_bench_file(output: Path | None) -> bool:
    """Whether a file is a picture or a table, and no report."""
    return output is not None and output.suffix.lower() in {*_PICTURES, _TABLE}


def check_picture(output: Path, *, is_collection: bool, is_claims: bool = False) -> None:
    """Refuses a picture that cannot be drawn before anything is measured.

    Raises:
        UsageError: A collection has none, and claims have no table of settings either.
        EnvironmentLacksError: matplotlib is not installed.
    """
    if is_claims and is_bench_file(output):
        raise UsageError("Claims are no table of settings.", "Write .md or .json.")
    if output.suffix.lower() not in _PICTURES:
        return
    if is_collection:
        message = "A collection has no picture."
        raise UsageError(message, "Write .csv, .md or .json; or a picture of one model.")
    if importlib.util.find_spec("matplotlib") is None:
        message = "Bars are drawn by matplotlib, which is not installed."
        hint = 'Install it with pip install "torch-inspector[pictures]", or write -o bench.csv.'
        raise EnvironmentLacksError(message, hint)


def write_bench_file(report: BenchReport | CollectionReport | ClaimsReport, output: Path) -> None:
    """Writes the file.

    Raises:
        UsageError: Claims are asked for as a picture or a table.
        EnvironmentLacksError: A picture is asked for, and matplotlib is not installed.
        RecordingError: There is nothing to write, or the file cannot be written.
    """
    form = output.suffix.lower()
    if isinstance(report, ClaimsReport):
        check_picture(output, is_collection=False, is_claims=True)
        return
    if form == _TABLE:
        text = io.StringIO()
        write_bench_rows(_named_rows(report), text)
        write_bytes(output, text.getvalue().encode())
        return
    if isinstance(report, CollectionReport):
        check_picture(output, is_collection=True)
        return
    from inspector.benches.drawing.bars import draw_bars

    several = len({group.input for group in report.groups}) > 1
    groups = [(group_title(group, several=several), group.rows) for group in report.groups]
    versions = report.run.processes[0].versions if report.run.processes else {}
    title = " · ".join(
        filter(None, (report.plan.target, report.device, f"torch {versions.get('torch', '')}"))
    )
    write_bytes(output, draw_bars(groups, title, form.removeprefix(".")))


def _named_rows(
    report: BenchReport | CollectionReport,
) -> Iterator[tuple[str, BenchRow]]:
    if isinstance(report, BenchReport):
        yield from ((report.plan.target, row) for row in report.rows)
        return
    yield from ((model.name, row) for model in report.models for row in model.rows)
