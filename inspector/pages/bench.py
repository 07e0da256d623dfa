"""The page on a bench."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from inspector.benches.varied import VariedSetting
from inspector.findings.bench_changes import change_lines, comparison_title
from inspector.findings.bench_report import BenchGroup, BenchReport
from inspector.findings.bench_verdict import verdict_lines
from inspector.findings.bench_wording import (
    COLUMNS,
    cells,
    details,
    failed_title,
    group_title,
    head_text,
)
from inspector.findings.varied_wording import (
    VARIED_COLUMNS,
    varied_cells,
    varied_totals,
    varied_verdict,
)
from inspector.pages.page import Code, Column, Lines, Page, Section, Table, about, as_notes

_MOST_ROWS = 40
_MARKS = {True: "worse: ", False: "better: ", None: ""}
_COLUMNS = (
    Column(COLUMNS[0]),
    *(Column(name, "number") for name in COLUMNS[1:]),
    Column("", "below"),
)
_VARIED = (
    Column(VARIED_COLUMNS[0], "code"),
    *(Column(name, "number") for name in VARIED_COLUMNS[1:-1]),
    Column(VARIED_COLUMNS[-1]),
)


def page(report: BenchReport) -> Page:
    """What each setting takes; of several inputs or workloads each has a verdict of its own."""
    if report.varied:
        verdict = list(varied_verdict(report.varied))
        sections = [_varied(found) for found in report.varied]
    else:
        verdict = list(_verdict(report))
        sections = [_group(report, group) for group in report.groups]
    headline, *summary = verdict or ["too little was measured for a verdict"]
    run = about(report.run)
    return Page(
        "Bench",
        headline,
        dataclasses.replace(run, target=report.plan.target, context=[head_text(report)]),
        summary=summary,
        sections=(*sections, *_comparison(report), *_failed(report)),
        notes=as_notes(report.notices),
    )


def _title(report: BenchReport, group: BenchGroup) -> str:
    return group_title(group, several=len({each.input for each in report.groups}) > 1)


def _verdict(report: BenchReport) -> Iterator[str]:
    """The verdict on one group; of several the first sentence of each."""
    if len(report.groups) == 1:
        yield from verdict_lines(report.groups[0])
        return
    for group in report.groups:
        for line in itertools.islice(verdict_lines(group), 1):
            yield f"{_title(report, group)}: {line}"


def _group(report: BenchReport, group: BenchGroup) -> Section:
    rest = list(verdict_lines(group))[1:] if len(report.groups) > 1 else []
    rows = [(*cells(row), details(row)) for row in group.rows]
    table = Table(_COLUMNS, rows, "setting", _MOST_ROWS)
    return Section(_title(report, group), [Lines(rest), table])


def _varied(found: VariedSetting) -> Section:
    table = Table(_VARIED, list(map(varied_cells, found.inputs)), "input", _MOST_ROWS)
    return Section(found.setting.label, [table, Lines([varied_totals(found)])])


def _comparison(report: BenchReport) -> Iterator[Section]:
    if report.comparison is not None:
        lines = [_MARKS[worse] + line for line, worse in change_lines(report.comparison)]
        yield Section("Comparison", [Lines([comparison_title(report.comparison), *lines])])


def _failed(report: BenchReport) -> Iterator[Section]:
    """The user's tracebacks, each once."""
    titles: dict[str, str] = {}
    for row in report.rows:
        if row.detail:
            titles.setdefault(row.detail, failed_title(row, report))
    for detail, title in titles.items():
        yield Section(title, [Code(detail.rstrip("\n"))])
