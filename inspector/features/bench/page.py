"""The page on a bench."""

import dataclasses
import itertools
import shlex
from collections.abc import Iterator

from inspector.features.bench.report import BenchGroup, BenchReport
from inspector.features.bench.rows import BenchRow
from inspector.features.bench.varied_wording import (
    VARIED_COLUMNS,
    varied_cells,
    varied_totals,
    varied_verdict,
)
from inspector.features.bench.verdict import verdict_lines
from inspector.features.bench.wording import (
    COLUMNS,
    cells,
    details,
    group_title,
    head_text,
    is_inconclusive,
)
from inspector.report.page import Code, Column, Lines, Page, Section, Table, about, as_notes
from inspector.shared.typed_options import typed_options

_MOST_ROWS = 40
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
        sections = [
            Section(
                found.setting.label,
                [
                    Table(_VARIED, list(map(varied_cells, found.inputs)), "input", _MOST_ROWS),
                    Lines([varied_totals(found)]),
                ],
            )
            for found in report.varied
        ]
    else:
        verdict = list(_verdict(report))
        sections = [_group(report, group) for group in report.groups]
    headline, *summary = verdict or ["not enough measurements for a verdict"]
    run = about(report.run)
    return Page(
        "Bench",
        headline,
        dataclasses.replace(run, target=report.plan.target, context=[head_text(report)]),
        summary=summary,
        sections=(*sections, *_failed(report)),
        notes=as_notes(report.notices),
        next_steps=tuple(_next_steps(report)),
    )


def _next_steps(report: BenchReport) -> Iterator[str]:
    """Commands that find what is wrong, or too slow, with the first setting that is."""
    choices = [group.choice for group in report.groups]
    wrong = next((row for choice in choices for row in choice.wrong), None)
    if wrong is not None:
        yield _command("repro", report, wrong)
    nearest = next((choice.nearest for choice in choices if choice.nearest), None)
    if nearest is not None and not (report.varied or is_inconclusive(nearest.faster)):
        yield _command("profile", report, nearest)


def _command(name: str, report: BenchReport, row: BenchRow) -> str:
    how, workload = row.setting, row.workload
    settings = {
        **report.run.meta.settings,
        **{name: getattr(how, name) for name in ("backend", "mode", "dynamic", "fullgraph")},
        "dtype": workload.dtype,
        "train": workload.train,
        "no_grad": not (workload.train or report.plan.is_grad),
    }
    return shlex.join(["inspect", name, report.plan.target, *typed_options(settings, name)])


def _title(report: BenchReport, group: BenchGroup) -> str:
    return group_title(group, several=len({each.input for each in report.groups}) > 1)


def _verdict(report: BenchReport) -> Iterator[str]:
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


def _failed(report: BenchReport) -> Iterator[Section]:
    made = report.plan.variations
    titles: dict[str, str] = {}
    for row in report.rows:
        varied = ", ".join(map(str, made[row.input] if row.input < len(made) else ()))
        title = f"{row.setting.label} failed{f' with {varied}' if varied else ''}"
        titles.setdefault(row.detail, title)
    for detail, title in titles.items():
        if detail:
            yield Section(title, [Code(detail.rstrip("\n"))])
