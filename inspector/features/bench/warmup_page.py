"""The page on a warm-up."""

from __future__ import annotations

import dataclasses

from inspector.features.bench.warmup_report import WarmupReport
from inspector.features.bench.warmup_wording import (
    START_NAMES,
    check_lines,
    start_rows,
    warmup_notices,
    warmup_verdict,
)
from inspector.features.bench.wording import device_text
from inspector.report.overview import recording_line
from inspector.report.page import Block, Code, Column, Lines, Page, Section, Table, about, as_notes
from inspector.report.wording import count

_MOST_ROWS = 40


def page(report: WarmupReport) -> Page:
    """The starts beside each other, and the plan."""
    headline, *summary = warmup_verdict(report)
    plan = report.plan
    parts = (
        *recording_line(report.run),
        device_text(report.device, report.threads),
        plan.setting.label,
        plan.workload.label,
        "with gradients" if plan.is_grad else "",
    )
    columns = [Column(""), *(Column(START_NAMES[it.name], "number") for it in report.starts)]
    called = [report.inputs[number] for number in report.calls]
    inputs = (Column("input", "code"), Column("shapes"))
    blocks: list[Block] = [
        Table(inputs, [(item.label, item.shapes) for item in called], "call"),
        Lines(list(check_lines(report))),
    ]
    title = f"The plan: {count(len(called), 'call')}"
    line = " · ".join(filter(None, parts))
    return Page(
        "Warm-up",
        headline,
        dataclasses.replace(about(report.run), target=plan.target, context=[line]),
        summary=summary,
        sections=(
            Section("Starts", [Table(columns, list(start_rows(report)), limit=_MOST_ROWS)]),
            *([Section(title, blocks)] if report.start("cold") else []),
            *(
                Section(f"{start.name} failed", [Code(start.detail.rstrip("\n"))])
                for start in report.starts
                if start.detail
            ),
        ),
        notes=as_notes(warmup_notices(report)),
    )
