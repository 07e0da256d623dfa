"""Any report of `inspect bench` for people at a terminal: one model, or several."""

from __future__ import annotations

from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import CollectionReport
from inspector.renderers.terminal.bench import add_bench
from inspector.renderers.terminal.bench_collection import add_collection
from inspector.renderers.terminal.page import Page


def add_any_bench(page: Page, report: BenchReport | CollectionReport) -> None:
    """Adds the report."""
    if isinstance(report, BenchReport):
        add_bench(page, report)
    else:
        add_collection(page, report)
