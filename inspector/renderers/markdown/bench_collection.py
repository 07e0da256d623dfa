"""A collection of models as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.any_report import AnyBench
from inspector.findings.bench_report import BenchReport
from inspector.findings.claims_report import ClaimsReport
from inspector.findings.collection_report import (
    COLLECTION_COLUMNS,
    collection_cells,
    collection_lines,
    collection_machine,
)
from inspector.findings.warmup_report import WarmupReport
from inspector.renderers.markdown.bench import bench_lines
from inspector.renderers.markdown.bench_claims import claims_lines
from inspector.renderers.markdown.markup import cell, prose
from inspector.renderers.markdown.warmup import warmup_lines

__all__ = ["any_bench_lines"]


def any_bench_lines(report: AnyBench) -> Iterator[str]:
    """The lines of a report on one model, on several, or on claims."""
    if isinstance(report, BenchReport):
        yield from bench_lines(report)
        return
    if isinstance(report, ClaimsReport):
        yield from claims_lines(report)
        return
    if isinstance(report, WarmupReport):
        yield from warmup_lines(report)
        return
    yield "# Collection"
    yield ""
    yield prose(collection_machine(report))
    yield ""
    for line in collection_lines(report):
        yield f"- {prose(line)}."
    yield ""
    yield f"| {' | '.join(COLLECTION_COLUMNS)} |"
    yield f"|:--|:--|{'--:|' * (len(COLLECTION_COLUMNS) - 2)}"
    for model in report.models:
        for cells in collection_cells(model):
            yield f"| {' | '.join(map(cell, cells))} |"
    yield ""
    for notice in report.notices:
        yield f"> {prose(notice)}"
        yield ""
