"""The page on guards."""

from collections.abc import Iterator, Mapping

from inspector.features.guards.levers import lever_blocks
from inspector.features.guards.next import NextChange
from inspector.features.guards.report import FrameRow, GuardsReport
from inspector.report.page import Block, Column, Items, Lines, Page, Section, Table, about, as_notes
from inspector.report.wording import count, duration

_MOST_CHANGES = (5, 2)  # of the first frame, and of each further one
_MOST_KINDS = 4
_MOST_FRAMES = 2
_FEW = 0.0995


def page(report: GuardsReport) -> Page:
    """What recompiles next, what guards cost, and where they come from."""
    groups = [
        (
            f"{group.name} ({group.members} modules)" if group.members > 1 else group.name,
            f"{group.guards:,}",
            _kinds(group.kinds, 3),
        )
        for group in report.groups
    ]
    own = [
        (f"{cause.file}:{cause.line}", f"{cause.guards:,}", cause.code)
        for cause in report.causes
        if cause.is_user
    ]
    headline = f"{count(report.guards, 'guard')} in {count(len(report.frames), 'frame')}"
    if (time := report.time) is not None:
        headline += f"; {duration(time.per_call_ns)} per warm call ({_percent(time.share)})"
    number = Column("guards", "number")
    likely = list(_next(report.frames))
    return Page(
        "Guards",
        headline,
        about(report.run),
        summary=[_kinds(report.kinds, _MOST_KINDS)] if report.kinds else [],
        findings=report.findings,
        sections=(
            Section("Next recompilations, most likely first", likely[:_MOST_FRAMES]),
            Section("Further functions", likely[_MOST_FRAMES:], is_detail=True),
            Section("Cost", list(_costs(report))),
            Section("Levers", list(lever_blocks(report.levers))),
            Section(
                "By module",
                [Table((Column("module", "code"), number, Column("kinds", "code")), groups)],
                is_detail=True,
            ),
            Section(
                "By line",
                [Table((Column("line", "code"), number, Column("source", "code")), own, "line", 5)],
            ),
        ),
        notes=as_notes(report.notices),
        next_steps=report.next_steps,
    )


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < _FEW else f"{share:.0%}"


def _kinds(kinds: Mapping[str, int], most: int) -> str:
    """``412 TENSOR_MATCH, 90 TYPE_MATCH, 31 others``."""
    shown = [f"{number:,} {kind}" for kind, number in list(kinds.items())[:most]]
    rest = sum(list(kinds.values())[most:])
    return ", ".join([*shown, f"{rest:,} others"] if rest else shown)


def _next(frames: tuple[FrameRow, ...]) -> Iterator[Block]:
    shown = [row for row in frames if row.next_changes or row.is_skipped]
    for number, row in enumerate(shown):
        # Global state is the same for all frames.
        changes = [item for item in row.next_changes if item.source or not number]
        yield Items(_frame(row), list(map(_change, changes)), _MOST_CHANGES[min(number, 1)])


def _frame(row: FrameRow) -> str:
    """``Net.forward · model.py:12 · 2 of 8 cache entries · 64 guards · 12 µs per call``."""
    parts = [
        row.name,
        f"{row.file}:{row.line}" if row.file else "",
        f"{row.entries} of {count(row.limit, 'cache entry', 'cache entries')}",
        count(row.guards, "guard"),
        f"{duration(row.per_call_ns)} per call" if row.per_call_ns is not None else "",
        "recompile limit hit" if row.is_closed else "",
        "runs eagerly: its last compilation produced no graph" if row.is_skipped else "",
    ]
    return " · ".join(filter(None, parts))


def _change(item: NextChange) -> str:
    text = item.text
    if item.more:
        fixed, found, rest = text.partition(": ")
        text = f"{fixed} (and {item.more:,} similar guards){found}{rest}"
    return f"{text} (has changed before)" if item.changed_before else text


def _costs(report: GuardsReport) -> Iterator[Block]:
    """What was measured, and torch's own figure, which is another one."""
    lines, time = [], report.time
    if time is not None:
        looks = count(round(time.lookups), "cache lookup")
        lines.append(
            f"{duration(time.per_call_ns)} of {duration(time.call_ns)} per warm call "
            f"({_percent(time.share)}): {looks} per call, {count(time.calls, 'warm call')} measured"
        )
    cold = [row.torch_latency_ns for row in report.frames if row.torch_latency_ns is not None]
    if cold:
        lines.append(
            f"torch reports {duration(sum(cold))} for one cold evaluation of the newest cache "
            "entries"
        )
    yield Lines(lines)
