"""The page of two runs side by side."""

from collections.abc import Iterator
from typing import Literal

from inspector.features.diff.report import DiffReport
from inspector.features.diff.sections import SIDES, delta, graph_sections, measured_sections
from inspector.features.diff.verdict import answer, highlights, kernel_counts, numbers, verdict_of
from inspector.features.kernels.page import code_lines
from inspector.report.finding import Finding
from inspector.report.overview import recording_line
from inspector.report.page import (
    About,
    Block,
    CodeLine,
    Column,
    Lines,
    Page,
    Section,
    Table,
    as_notes,
)
from inspector.report.wording import count, duration, listed, size
from inspector.run.kernel_diff import DiffKernel, KernelChange, KernelDiff

_MOST_OPERATORS = 8
_TENFOLD = 10
_TITLES: dict[Literal["gone", "new", "changed"], str] = {
    "gone": "Gone",
    "new": "New",
    "changed": "Changed",
}


def page(report: DiffReport) -> Page:
    """The verdict and what matters most, then each area that differs, causes first."""
    return Page(
        "Diff",
        answer(report),
        About(context=[
            f"A: {' · '.join(recording_line(report.before.run))}",
            f"B: {' · '.join(recording_line(report.after.run))}",
        ]),
        summary=tuple(highlights(report)),
        sections=(
            _conditions(report),
            Section("Totals", [Table(SIDES, list(_totals(report)), limit=20)]),
            Section("Findings", [_findings(report)]),
            *graph_sections(report),
            *_kernels(report),
            *measured_sections(report),
            Section("", [Lines(list(_same_areas(report)))]),
        ),
        notes=as_notes(report.notices),
    )  # fmt: skip


def _conditions(report: DiffReport) -> Section:
    rows = [(item.name, item.before or "unset", item.after or "unset")
            for item in report.conditions if item.differs]  # fmt: skip
    columns = (Column("setting"), Column("A"), Column("B"))
    return Section("Settings and versions", [Table(columns, rows, "setting", 12)])


def _findings(report: DiffReport) -> Block:
    columns = (Column(""), Column("finding"), Column("place", "below"))
    shown = ((change.kind, change.after or change.before) for change in report.findings)
    rows = [(kind, item.message, [code_line(item)]) for kind, item in shown if item is not None]
    return Table(columns, rows, "finding")


def code_line(finding: Finding) -> CodeLine | str:
    """Where a finding is, with the source."""
    place = finding.place
    if not place.file:
        return ""
    code = next((line.text.strip() for line in place.excerpt if line.number == place.line), "")
    return CodeLine(f"{place.file}:{place.line}", code)


def _same_areas(report: DiffReport) -> Iterator[str]:
    """Areas without a difference, and those that cannot be compared, a line each."""
    areas = report.areas
    for text, state in (("unchanged", False), ("not compared", None)):
        names = [name for name, differs in areas.items() if differs is state]
        if names:
            yield f"{text}: {', '.join(names)}"


def _totals(report: DiffReport) -> Iterator[tuple[str, str, str, str]]:
    """What is counted or measured otherwise."""
    diff = report.diff
    for _, plural, before, after in numbers(report):
        if before != after:
            yield plural, f"{before:,}", f"{after:,}", delta(after - before, "{:,}".format)
    counts = diff.before, diff.after
    for name, (old, new), text in (
        ("bytes moved", (item.traffic_bytes for item in counts), size),
        ("device busy", (item.busy_ns for item in counts), duration),
        ("generated kernels (predicted)", (item.predicted_ns for item in counts), duration),
        ("compile time", (item.compile_time_ns for item in counts), duration),
    ):
        one, other = ("unknown" if value is None else text(value) for value in (old, new))
        if one != other:
            yield name, one, other, _times(old, new)


def _times(before: int | None, after: int | None) -> str:
    if not before or after is None or before == after:
        return ""
    if after >= _TENFOLD * before:
        return f"{after / before:,.0f}×"  # noqa: RUF001 - a multiplication sign
    return f"{(after - before) / before:+.0%}".replace("-", "−")  # noqa: RUF001 - a minus sign


def _kernels(report: DiffReport) -> Iterator[Section]:
    diff, differs = report.diff, report.areas["kernels"]
    if differs is None:
        return
    if differs:
        lines = [f"{verdict_of(diff)}: {', '.join(kernel_counts(diff))}", *_others(diff)]
        yield Section("Kernels", [Lines(lines)])
    for kind, title in _TITLES.items():
        yield Section(f"{title} kernels ({len(diff.of(kind)):,})", [_changes(diff, kind)])


def _changes(diff: KernelDiff, kind: Literal["gone", "new", "changed"]) -> Block:
    columns = (Column("kernel", "code"), Column("", "below"), Column("lines", "below"))
    rows = []
    for change in diff.of(kind):
        sides = [item for item in (change.before, change.after) if item is not None]
        names = " → ".join(dict.fromkeys(item.kernel.name for item in sides))
        # The user's lines are those of B where it is there.
        rows.append((names, change_detail(change), code_lines(sides[-1].kernel)))
    return Table(columns, rows, "kernel", limit=8, tone=kind)


def change_detail(change: KernelChange) -> str:
    """What is to be said of one kernel, behind its name."""
    if change.before is not None and change.after is not None:
        parts = [item for item in change.differences if item != "source"]
        parts += _of_builds(change.before, change.after)
        if change.added or change.removed:
            parts.append(f"source +{change.added} −{change.removed} lines")  # noqa: RUF001
        return " · ".join(parts)
    item = change.before or change.after
    detail = _detail(item) if item is not None else ""
    verb = "now in" if change.before is not None else "was in"
    return f"{detail} · {verb} {change.part_of}" if change.part_of else detail


def _of_builds(before: DiffKernel, after: DiffKernel) -> Iterator[str]:
    """What was compiled, or ran, otherwise: a kernel that is the same is for another GPU, say."""
    if None not in {before.registers, after.registers} and before.registers != after.registers:
        yield f"{before.registers} → {after.registers} registers"
    if None not in {before.spill_bytes, after.spill_bytes} and (
        before.spill_bytes != after.spill_bytes
    ):
        yield f"spills {before.spill_bytes} → {after.spill_bytes} B"
    old, new = before.predicted_ns, after.predicted_ns
    if old is not None and new is not None and duration(old) != duration(new):
        yield f"predicted {duration(old)} → {duration(new)}"
    if before.time_ns is not None and after.time_ns is not None:
        yield f"{duration(before.time_ns)} → {duration(after.time_ns)} per call"


def _detail(item: DiffKernel) -> str:
    names = [name.removeprefix("aten.").removeprefix("prims.") for name in item.kernel.aten]
    moved = "" if item.traffic_bytes is None else size(item.traffic_bytes)
    launches = count(item.launches, "launch", "launches") if item.launches != 1 else ""
    time = "" if item.predicted_ns is None else f"predicted {duration(item.predicted_ns)}"
    took = "" if item.time_ns is None else f"{duration(item.time_ns)} per call"
    parts = (item.kernel.kind, listed(names, _MOST_OPERATORS), launches, moved, time, took)
    return " · ".join(part for part in parts if part)


def _others(diff: KernelDiff) -> Iterator[str]:
    """How many kernels are the same, and calls that one side has more often."""
    number = len(diff.of("same"))
    if number and number < len(diff.kernels):
        yield f"{count(number, 'kernel')} unchanged"
    for name, (before, after) in diff.libraries.items():
        yield f"{name}: {before} → {after} calls"
