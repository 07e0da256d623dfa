"""The words of a report on guards, which the renderers share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.findings.escaping import one_line
from inspector.findings.guards_report import FrameRow, GuardsReport
from inspector.findings.wording import count, duration
from inspector.guards.grouping import Cause, Group
from inspector.guards.next import NextChange
from inspector.guards.subtrees import Subtree

_MOST_KINDS = 4
_FEW = 0.0995


def guards_headline(report: GuardsReport) -> str:
    """``1,204 guards in 2 frames; they take 41 µs, 12% of a call``."""
    text = f"{count(report.guards, 'guard')} in {count(len(report.frames), 'frame')}"
    if report.time is not None:
        part = percent(report.time.share)
        text += f"; {duration(report.time.per_call_ns)} per warm call, {part} of it"
    return text


def percent(share: float) -> str:
    """``0.3%``, ``12%``."""
    return f"{share:.1%}" if share < _FEW else f"{share:.0%}"


def kinds_line(kinds: Mapping[str, int], most: int = _MOST_KINDS) -> str:
    """``412 TENSOR_MATCH, 90 TYPE_MATCH, 31 others``."""
    shown = [f"{number:,} {one_line(kind)}" for kind, number in list(kinds.items())[:most]]
    rest = sum(list(kinds.values())[most:])
    return ", ".join([*shown, f"{rest:,} others"] if rest else shown)


def time_lines(report: GuardsReport) -> Iterator[str]:
    """What was measured, and torch's own figure beside it, which is another one."""
    time = report.time
    if time is not None:
        looks = count(round(time.lookups), "look")
        yield (
            f"{duration(time.per_call_ns)} of a warm call of {duration(time.call_ns)} "
            f"({percent(time.share)}), {looks} into Dynamo's cache per call, measured in "
            f"{count(time.calls, 'warm call')}"
        )
    cold = [row.torch_latency_ns for row in report.frames if row.torch_latency_ns is not None]
    if cold:
        yield (
            f"{duration(sum(cold))} says torch: one evaluation of the newest entries with empty "
            "caches of the processor"
        )


def group_line(group: Group) -> tuple[str, str, str]:
    """Name, number, and what they are."""
    name = f"{group.name} ({group.members} modules)" if group.members > 1 else group.name
    return one_line(name), f"{group.guards:,}", kinds_line(group.kinds, 3)


def cause_line(cause: Cause) -> tuple[str, str, str]:
    """Place, number, and the source line."""
    return one_line(f"{cause.file}:{cause.line}"), f"{cause.guards:,}", one_line(cause.code)


def subtrees_title(report: GuardsReport) -> str:
    """What the parts are ranked by."""
    if any(item.time_ns is not None for item in report.subtrees):
        return "Most expensive parts, each timed on the live guards when they were made"
    return "Largest parts, by the number of guards (none was timed)"


def subtree_line(item: Subtree) -> tuple[str, str, str]:
    """Name, time or nothing, and what it is a part of."""
    guards = count(item.guards, "guard")
    if item.time_ns is None:
        return one_line(item.name), guards, f"in {one_line(item.frame)}"
    part = f"{item.share:.0%} of {duration(item.whole_ns or 0)}, " if item.share is not None else ""
    return one_line(item.name), duration(item.time_ns), f"{part}{guards}, in {one_line(item.frame)}"


def frame_line(row: FrameRow) -> str:
    """``Net.forward · model.py:12 · 2 of 8 cache entries · 64 guards · 12 µs per call``."""
    place = f"{row.file}:{row.line}" if row.file else ""
    parts = [
        row.name,
        place,
        f"{row.entries} of {count(row.limit, 'cache entry', 'cache entries')}",
    ]
    parts.append(count(row.guards, "guard"))
    if row.per_call_ns is not None:
        parts.append(f"{duration(row.per_call_ns)} per call")
    if row.is_closed:
        parts.append("recompile limit hit")
    if row.is_skipped:
        parts.append("runs eagerly since a compilation that gave no graph")
    return one_line(" · ".join(part for part in parts if part))


def change_text(item: NextChange) -> str:
    """The change in one sentence, with how many others are like it."""
    text = item.text
    if item.more:
        fixed, found, rest = text.partition(": ")
        text = f"{fixed} (and {item.more:,} more like it){found}{rest}"
    return one_line(text if item.is_certain else f"{text} (probably)")
