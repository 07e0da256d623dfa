"""The page on a warm-up."""

from __future__ import annotations

import dataclasses

from inspector.features.bench.warmup_report import WarmupReport
from inspector.features.bench.warmup_wording import (
    check_lines,
    plan_rows,
    plan_title,
    start_columns,
    start_rows,
    warmup_machine,
    warmup_notices,
    warmup_verdict,
)
from inspector.report.overview import recording_line
from inspector.report.page import Block, Code, Column, Lines, Page, Section, Table, about, as_notes

_MOST_ROWS = 40


def page(report: WarmupReport) -> Page:
    """The starts beside each other, and the plan."""
    headline, *summary = warmup_verdict(report)
    line = " · ".join((*recording_line(report.run), warmup_machine(report)))
    first, *names = start_columns(report)
    columns = (Column(first), *(Column(name, "number") for name in names))
    inputs = (Column("input", "code"), Column("shapes"))
    plan: list[Block] = [
        Table(inputs, list(plan_rows(report)), "call"),
        Lines(list(check_lines(report))),
    ]
    return Page(
        "Warm-up",
        headline,
        dataclasses.replace(about(report.run), target=report.plan.target, context=[line]),
        summary=summary,
        sections=(
            Section("Starts", [Table(columns, list(start_rows(report)), limit=_MOST_ROWS)]),
            *([Section(plan_title(report), plan)] if report.start("cold") else []),
            *(
                Section(f"{start.name} failed", [Code(start.detail.rstrip("\n"))])
                for start in report.starts
                if start.detail
            ),
        ),
        notes=as_notes(warmup_notices(report)),
    )
