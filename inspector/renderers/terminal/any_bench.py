"""Any report of `inspect bench` for people at a terminal: one model, several, a warm-up."""

from __future__ import annotations

from inspector.findings.any_report import AnyBench
from inspector.findings.bench_report import BenchReport
from inspector.findings.warmup_report import WarmupReport
from inspector.renderers.terminal.bench import add_bench
from inspector.renderers.terminal.bench_collection import add_collection
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.warmup import add_warmup


def add_any_bench(page: Page, report: AnyBench) -> None:
    """Adds the report."""
    if isinstance(report, BenchReport):
        add_bench(page, report)
    elif isinstance(report, WarmupReport):
        add_warmup(page, report)
    else:
        add_collection(page, report)
