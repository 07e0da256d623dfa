"""The page of two runs side by side."""

from collections.abc import Iterator
from typing import Literal

from inspector.features.diff.report import DiffReport
from inspector.features.kernels.page import code_lines
from inspector.report.overview import recording_line
from inspector.report.page import About, Block, Column, Lines, Page, Section, Table, as_notes
from inspector.report.wording import count, duration, listed, size
from inspector.run.kernel_diff import Counts, DiffKernel, KernelChange, KernelDiff

_MOST_OPERATORS = 8
_LANGUAGES = {"cpp": "C++", "triton": "Triton"}
_TITLES: dict[Literal["gone", "new", "changed"], str] = {
    "gone": "Gone",
    "new": "New",
    "changed": "Changed",
}


def page(report: DiffReport) -> Page:
    """The totals of both, then what is gone, new and changed."""
    totals = (Column(""), Column("A", "number"), Column("B", "number"), Column("change", "number"))
    return Page(
        "Diff",
        answer(report),
        About(context=[
            f"A: {' · '.join(recording_line(report.before.run))}",
            f"B: {' · '.join(recording_line(report.after.run))}",
            *_conditions(report),
        ]),
        sections=(
            Section("Totals", [Table(totals, list(_totals(report.diff)), limit=20)]),
            Section("Findings", [_findings(report)]),
            *(Section(f"{title} ({len(report.diff.of(kind)):,})", [_changes(report.diff, kind)])
              for kind, title in _TITLES.items()),
            Section("", [Lines(list(_others(report.diff)))]),
        ),
        notes=as_notes(report.notices),
    )  # fmt: skip


def _findings(report: DiffReport) -> Block:
    columns = (Column(""), Column("finding"), Column("place", "below"))
    shown = ((change.kind, change.after or change.before) for change in report.findings)
    rows = [
        (kind, item.message, f"{item.place.file}:{item.place.line}" if item.place.file else "")
        for kind, item in shown
        if item is not None
    ]
    return Table(columns, rows, "finding")


def answer(report: DiffReport) -> str:
    """Whether B is better fused than A, and by what, in one line."""
    diff = report.diff
    if not (report.before.graphs and report.after.graphs):
        return "nothing to compare, because one side has no Inductor code"
    shown = [
        f"{before:,} → {count(after, noun, plural)}"
        for noun, plural, before, after in _numbers(diff)
        if before != after
    ]
    if diff.is_empty:
        return f"no difference: {_same(diff.after)}"
    if not shown:
        kinds = ((kind, len(diff.of(kind))) for kind in _TITLES)
        named = [f"{number} {kind}" for kind, number in kinds if number]
        what = ", ".join(named) if named else "different operators or calls"
        return f"same fusion ({_same(diff.after)}), {what}"
    languages = [
        {
            _LANGUAGES.get(row.kernel.language, row.kernel.language)
            for row in side.rows
            if not row.is_candidate
        }
        for side in (report.before, report.after)
    ]
    if all(languages) and languages[0] != languages[1]:
        names = " against ".join(" and ".join(sorted(found)) for found in languages)
        return f"not comparable, {names}: {', '.join(shown)}"
    return f"{_verdict(diff)}: {', '.join(shown)}"


def _verdict(diff: KernelDiff) -> str:
    """Better is what starts less, of equals what moves less; other operators cannot be compared."""
    before, after = diff.before, diff.after
    if before.operators != after.operators:
        return "different operators"
    if after.all_launches != before.all_launches:
        return "better fused" if after.all_launches < before.all_launches else "worse fused"
    if before.traffic_bytes is None or after.traffic_bytes is None:
        return "same number of launches"
    if after.traffic_bytes == before.traffic_bytes:
        return "same number of launches and bytes"
    return "less traffic" if after.traffic_bytes < before.traffic_bytes else "more traffic"


def _numbers(diff: KernelDiff) -> Iterator[tuple[str, str, int, int]]:
    before, after = diff.before, diff.after
    yield "kernel", "kernels", before.kernels, after.kernels
    yield "launch", "launches", before.launches, after.launches
    yield "library call", "library calls", before.library_calls, after.library_calls
    yield "operator", "operators", before.operators, after.operators
    yield "graph", "graphs", before.graphs, after.graphs
    yield "graph break", "graph breaks", before.graph_breaks, after.graph_breaks
    yield "recompile", "recompiles", before.recompiles, after.recompiles


def _same(counts: Counts) -> str:
    parts = (
        count(counts.kernels, "kernel"),
        count(counts.launches, "launch", "launches"),
        count(counts.library_calls, "library call"),
        count(counts.graphs, "graph"),
    )
    return ", ".join(parts)


def _totals(diff: KernelDiff) -> Iterator[tuple[str, str, str, str]]:
    for _, plural, before, after in _numbers(diff):
        change = _change(after - before, f"{abs(after - before):,}")
        yield (plural, f"{before:,}", f"{after:,}", change)
    old, new = diff.before.traffic_bytes, diff.after.traffic_bytes
    delta = None if old is None or new is None else new - old
    yield (
        "bytes moved",
        "unknown" if old is None else size(old),
        "unknown" if new is None else size(new),
        "" if delta is None else _change(delta, size(abs(delta))),
    )
    for name, pair in (
        ("warm call", (diff.before.call_ns, diff.after.call_ns)),
        ("device busy", (diff.before.busy_ns, diff.after.busy_ns)),
        ("generated kernels (predicted)", (diff.before.predicted_ns, diff.after.predicted_ns)),
    ):
        if pair != (None, None):
            one, other = ("unknown" if time is None else duration(time) for time in pair)
            yield (name, one, other, _times(*pair) if one != other else "")
    times = diff.before.compile_time_ns, diff.after.compile_time_ns
    yield ("compile time (measured)", duration(times[0]), duration(times[1]), "")


def _times(before: int | None, after: int | None) -> str:
    if not before or after is None or before == after:
        return ""
    return f"{(after - before) / before:+.0%}".replace("-", "−")  # noqa: RUF001 - a minus sign


def _change(delta: int, text: str) -> str:
    return f"{'+' if delta > 0 else '−'}{text}" if delta else ""  # noqa: RUF001 - a minus sign


def _conditions(report: DiffReport) -> Iterator[str]:
    for item in report.conditions:
        if item.differs:
            yield f"{item.name}: {item.before or 'unset'} → {item.after or 'unset'}"
    same = [f"{item.name} {item.after}" for item in report.conditions if not item.differs]
    if same:
        yield f"both: {' · '.join(same)}"


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
    """How many kernels are the same; calls and operators that one side has more often."""
    if number := len(diff.of("same")):
        yield f"{count(number, 'kernel')} unchanged"
    for name, (before, after) in diff.libraries.items():
        yield f"{name}: {before} → {after} calls"
    names = [
        f"{name.rpartition('.')[2]} {before} → {after}"
        for name, (before, after) in diff.operators.items()
    ]
    if names:
        yield f"graph operators: {listed(names)}"
