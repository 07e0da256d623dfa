"""Any report of `inspect bench` as Markdown: one model, several, a warm-up."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.any_report import AnyBench
from inspector.findings.bench_report import BenchReport
from inspector.findings.warmup_report import WarmupReport
from inspector.renderers.markdown.bench import bench_lines
from inspector.renderers.markdown.bench_collection import collection_report_lines
from inspector.renderers.markdown.warmup import warmup_lines


def any_bench_lines(report: AnyBench) -> Iterator[str]:
    """The lines of the report."""
    if isinstance(report, BenchReport):
        return bench_lines(report)
    if isinstance(report, WarmupReport):
        return warmup_lines(report)
    return collection_report_lines(report)
