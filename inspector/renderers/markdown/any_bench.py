"""Any report of `inspect bench` as Markdown: one model, or several."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import CollectionReport
from inspector.renderers.markdown.bench import bench_lines
from inspector.renderers.markdown.bench_collection import collection_report_lines


def any_bench_lines(report: BenchReport | CollectionReport) -> Iterator[str]:
    """The lines of the report."""
    if isinstance(report, BenchReport):
        return bench_lines(report)
    return collection_report_lines(report)
