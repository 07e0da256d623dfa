"""The sections on graphs, guards and measurements of a page on two runs."""

import re
from collections.abc import Callable, Iterator, Sequence

from inspector.features.diff.graphs import GraphsDiff, OperatorChange
from inspector.features.diff.guards import GuardChange
from inspector.features.diff.report import DiffReport
from inspector.report.page import Block, CodeLine, Column, Lines, Section, Table
from inspector.report.wording import count, duration, listed
from inspector.trace.guard_checks import check_parts

_SIGNS = {
    "new": "new", "gone": "gone", "retargeted": "replaced", "arguments": "arguments",
    "inputs": "inputs", "output": "output", "fewer": "fewer", "more": "more",
}  # fmt: skip
_STAGES = {"dynamo": "captured graphs", "aten": "ATen graphs", "post-grad": "lowered graphs"}
_MOST_PARTS = 4
_INDEX = re.compile(r"\[\d+\]")  # of a layer
_OPERATORS = (
    Column(""), Column("A", "code"), Column("B", "code"), Column("times", "number"),
    Column("line", "below"),
)  # fmt: skip
SIDES = (Column(""), Column("A", "number"), Column("B", "number"), Column("change", "number"))
"""The columns of a table of numbers."""


def graph_sections(report: DiffReport) -> Iterator[Section]:
    """Graphs and guards."""
    graphs = report.graphs
    if graphs.stage and not graphs.is_same:
        lines = [*_graph_lines(graphs), *_functions(report)]
        blocks: list[Block] = [Lines(lines), _operators(graphs.changes)]
        yield Section(f"Graphs ({_STAGES[graphs.stage]})", blocks)
    changes = report.guards.changes
    total = f"{report.guards.before:,} → {count(report.guards.after, 'guard')}"
    yield Section("Guards", [Lines([total] if changes else []), _guards(changes)])


def _graph_lines(graphs: GraphsDiff) -> Iterator[str]:
    if graphs.before != graphs.after:
        sides = (f"{count(len(side), 'graph')} ({listed([*map(str, side)], 8)} operators)"
                 for side in (graphs.before, graphs.after))  # fmt: skip
        yield " → ".join(sides)
    yield f"{count(graphs.same, 'operator')} unchanged"
    if graphs.moved:
        yield f"{count(graphs.moved, 'operator')} in a different order"


def _functions(report: DiffReport) -> Iterator[str]:
    for kind, side in (("gone", "A"), ("new", "B")):
        names = [f"{item.name} ({item.count})" if item.count > 1 else item.name
                 for item in report.functions if item.kind == kind]  # fmt: skip
        if names:
            yield f"compiled in {side} only: {listed(names, 4)}"


def _operators(changes: Sequence[OperatorChange]) -> Table:
    """Changes on their lines; another dtype or size is one row, however many lines have it."""
    rows: dict[tuple[object, ...], list[OperatorChange]] = {}
    for item in changes:
        place = () if item.kind == "output" else (item.file, item.line, item.code)
        rows.setdefault((item.kind, item.before, item.after, *place), []).append(item)
    cells = [
        (
            _SIGNS[same[0].kind], same[0].before, same[0].after,
            _times(sum(item.count for item in same)), _places(same),
        )
        for same in rows.values()
    ]  # fmt: skip
    return Table(_OPERATORS, cells, "change", 12)


def _places(same: Sequence[OperatorChange]) -> list[str | CodeLine]:
    first = same[0]
    lines: list[str | CodeLine] = []
    if first.file:
        lines.append(CodeLine(f"{first.file}:{first.line}", first.code))
    if len(same) > 1:
        lines.append(f"and {count(len(same) - 1, 'more line')}")
    return lines


def _guards(changes: Sequence[GuardChange]) -> Table:
    """Those of equal layers in one row, and those that changed in the same way."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for item in changes:
        name = _INDEX.sub("[*]", f"{item.kind} {item.name}" if item.name else "")
        if item.before and item.after:
            rows.setdefault(("changed", item.kind, _delta(item.before, item.after)), []).append(
                name
            )
        else:
            kind = "gone" if item.before else "new"
            text = name or _INDEX.sub("[*]", item.before or item.after)
            rows.setdefault((kind, text, ""), []).append(text)
    columns = Column(""), Column("guard", "code"), Column("", "below")
    cells = []
    for (kind, _, delta_text), names in rows.items():
        more = len(set(names)) - 1
        others = f" and {count(more, 'other')}" if more else ""
        cells.append((f"{kind} {_times(len(names))}".strip(), f"{names[0]}{others}", delta_text))
    return Table(columns, cells, "guard", 6)


def _delta(before: str, after: str) -> str:
    """The parts of two checks that differ: ``torch.float32 → torch.bfloat16``."""
    old, new = (check_parts(text) for text in (before, after))
    if len(old) != len(new):
        return f"{before} → {after}"
    pairs = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
    return ", ".join(f"{one} → {other}" for one, other in pairs[:_MOST_PARTS])


def _times(number: int) -> str:
    return f"{number:,}×" if number > 1 else ""  # noqa: RUF001 - a multiplication sign


def measured_sections(report: DiffReport) -> Iterator[Section]:
    """Compile time, caches and times of calls."""
    rows = [
        (item.stage, duration(item.before_ns), duration(item.after_ns),
         delta(item.after_ns - item.before_ns, duration))
        for item in report.stages
    ]  # fmt: skip
    yield Section("Compile time (one measurement each)", [Table(SIDES, rows, "stage", 6)])
    columns = (Column("cache"), Column("A"), Column("B"), Column("", "below"))
    caches = [
        (item.cache, item.before or "no lookup", item.after or "no lookup",
         f"key: {listed(item.parts, _MOST_PARTS)}" if item.parts else "")
        for item in report.caches
    ]  # fmt: skip
    yield Section("Caches", [Table(columns, caches, "cache")])
    times = [
        (item.name, duration(item.before_ns), duration(item.after_ns), _ratio(item.ratio))
        for item in report.times
    ]
    yield Section("Time per call", [Table((*SIDES[:3], Column("B / A", "number")), times, "call")])


def delta(number: int, text: Callable[[int], str]) -> str:
    """A difference with its sign."""
    return f"{'+' if number > 0 else '−'}{text(abs(number))}"  # noqa: RUF001 - a minus sign


def _ratio(ratio: tuple[float, float, float] | None) -> str:
    if ratio is None:
        return "no interval: too few samples"
    low, middle, high = ratio
    same = "" if low > 1 or high < 1 else ", no measurable difference"
    return f"{middle:.2f}× ({low:.2f}–{high:.2f}{same})"  # noqa: RUF001
