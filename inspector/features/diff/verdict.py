"""The answer in one sentence, and the changes that matter most."""

from collections.abc import Iterator

from inspector.features.diff.findings import FindingChange
from inspector.features.diff.graphs import OperatorChange, counted
from inspector.features.diff.report import DiffReport
from inspector.report.wording import count, duration, listed
from inspector.run.kernel_diff import KernelDiff

_LANGUAGES = {"cpp": "C++", "triton": "Triton"}
_MOST_SETTINGS = 3
_MOST_COUNTS = 3
_WORDS = {
    "retargeted": "replaced", "new": "added", "gone": "removed",
    "arguments": "with different arguments", "inputs": "with different inputs",
    "output": "with different outputs",
    "fewer": "less often on the same lines", "more": "more often on the same lines",
}  # fmt: skip


def answer(report: DiffReport) -> str:
    """Whether B is better than A, and by what, in one line."""
    if report.after.run.meta.error and not report.before.run.meta.error:
        return f"B fails: {report.after.run.meta.error.rstrip('.')}"
    if report.is_empty:
        made = [item for item in report.conditions if item.differs]
        what = "no difference" if not made else "no difference except in settings and versions"
        return f"{what}: {_same(report)}"
    shown = [
        f"{before:,} → {count(after, noun, plural)}"
        for noun, plural, before, after in numbers(report)
        if before != after
    ]
    if not shown and has_other_operators(report):
        return f"changed: {graph_line(report)}; same counts ({_same(report)})"
    if not shown:
        others = listed(list(_changed_parts(report)) or ["different predicted times"])
        shown = [f"same counts ({_same(report)}), {others}"]
    return f"{_word(report)}: {', '.join(shown[:_MOST_COUNTS])}"


def _word(report: DiffReport) -> str:
    """``worse`` or ``better`` by what is worst first; of other operators kernels say nothing."""
    before, after = report.diff.before, report.diff.after
    pairs = [(before.graph_breaks, after.graph_breaks), (before.recompiles, after.recompiles)]
    has_kernels = report.areas["kernels"] is not None
    if has_kernels and before.operators == after.operators and not _languages(report.diff):
        pairs.append((before.all_launches, after.all_launches))
        if before.traffic_bytes is not None and after.traffic_bytes is not None:
            pairs.append((before.traffic_bytes, after.traffic_bytes))
    changes = (now - was for was, now in pairs if was != now)
    first = next(changes, 0)
    return "worse" if first > 0 else "better" if first else "changed"


def _changed_parts(report: DiffReport) -> Iterator[str]:
    for name, differs in report.areas.items():
        if differs and name not in {"settings and versions", "compile time", "cache results"}:
            yield f"different {name.removeprefix('other ')}"


def highlights(report: DiffReport) -> Iterator[str]:
    """What changed, a line for each area, causes first."""
    made = [item for item in report.conditions if item.differs]
    if made:
        texts = [f"{item.name} {item.before or 'unset'} → {item.after or 'unset'}" for item in made]
        yield f"settings: {listed(texts, _MOST_SETTINGS)}"
    for rule, noun in (("graph-break", "graph break"), ("recompile", "recompilation")):
        found = [item for item in report.findings if _rule(item) == rule]
        for kind in ("new", "gone"):
            if changes := [item for item in found if item.kind == kind]:
                yield _finding_line(changes, kind, noun)
    if has_other_operators(report) and graph_line(report) not in answer(report):
        yield f"graphs: {graph_line(report)}"
    differing = [item for item in report.times if item.differs and item.ratio]
    for item in differing[:1]:
        assert item.ratio is not None  # noqa: S101
        yield f"{item.name}: {duration(item.before_ns)} → {duration(item.after_ns)}"


def has_other_operators(report: DiffReport) -> bool:
    """Whether graphs can be compared, and differ."""
    return bool(report.graphs.stage) and not report.graphs.is_same


def _rule(change: FindingChange) -> str:
    item = change.after or change.before
    return item.rule if item else ""


def _finding_line(changes: list[FindingChange], kind: str, noun: str) -> str:
    item = changes[0].after or changes[0].before
    assert item is not None  # noqa: S101 - a change has a side
    place = f" at {item.place.file}:{item.place.line}" if item.place.file else ""
    more = f" (and {len(changes) - 1:,} more)" if len(changes) > 1 else ""
    name = f"new {noun}" if kind == "new" else f"{noun} gone"
    return f"{name}{place}: {item.message}{more}"


def graph_line(report: DiffReport) -> str:
    """``gelu → relu at model.py:8; 2 operators added``."""
    graphs = report.graphs
    kinds = counted(graphs.changes)
    parts = []
    if graphs.before != graphs.after and len(graphs.before) != len(graphs.after):
        parts.append(f"{len(graphs.before):,} → {count(len(graphs.after), 'graph')}")
    for kind, number in kinds.items():
        same = [item for item in graphs.changes if item.kind == kind]
        texts = {(item.before, item.after) for item in same}
        if kind == "output" and len(texts) == 1:
            parts.append(f"`{same[0].before}` → `{same[0].after}` in {number:,} operators")
        elif len(same) == 1:
            parts.append(_one(same[0]))
        else:
            parts.append(f"{number:,} operators {_WORDS[kind]}")
    if not parts:
        parts.append("the same operators, grouped into different graphs")
    return "; ".join(parts)


def _one(change: OperatorChange) -> str:
    times = f" in {change.count:,} operators" if change.count > 1 else ""
    at = f" at {change.file}:{change.line}" if change.file else ""
    match change.kind:
        case "new" | "gone":
            return f"`{change.before or change.after}` {_WORDS[change.kind]}{at}{times}"
        case "fewer" | "more":
            return f"`{change.before or change.after}` {change.count:,}× {change.kind}{at}"  # noqa: RUF001
        case _:
            return f"`{change.before}` → `{change.after}`{at}{times}"


def verdict_of(diff: KernelDiff) -> str:
    """Better is what starts less, of equals what moves less; other operators cannot be compared."""
    before, after = diff.before, diff.after
    if names := _languages(diff):
        return f"not comparable, {names}"
    if before.operators != after.operators:
        return "different operators"
    if after.all_launches != before.all_launches:
        return "better fused" if after.all_launches < before.all_launches else "worse fused"
    if before.traffic_bytes is None or after.traffic_bytes is None:
        return "same number of launches"
    if after.traffic_bytes == before.traffic_bytes:
        return "same number of launches and bytes"
    return "less traffic" if after.traffic_bytes < before.traffic_bytes else "more traffic"


def _languages(diff: KernelDiff) -> str:
    """``C++ against Triton``; empty where both sides have the same."""
    sides = [
        {_LANGUAGES.get(item.kernel.language, item.kernel.language) for item in side}
        for side in (
            [change.before for change in diff.kernels if change.before],
            [change.after for change in diff.kernels if change.after],
        )
    ]
    if not all(sides) or sides[0] == sides[1]:
        return ""
    return " against ".join(" and ".join(sorted(found)) for found in sides)


def numbers(report: DiffReport) -> Iterator[tuple[str, str, int, int]]:
    """What is counted on both sides: its noun and plural, before, after; causes first."""
    before, after = report.diff.before, report.diff.after
    yield "graph break", "graph breaks", before.graph_breaks, after.graph_breaks
    yield "graph", "graphs", before.graphs, after.graphs
    yield "recompile", "recompiles", before.recompiles, after.recompiles
    yield "operator", "operators", before.operators, after.operators
    if report.areas["kernels"] is not None:
        yield from _of_kernels(report.diff)


def _of_kernels(diff: KernelDiff) -> Iterator[tuple[str, str, int, int]]:
    before, after = diff.before, diff.after
    yield "kernel", "kernels", before.kernels, after.kernels
    yield "launch", "launches", before.launches, after.launches
    yield "library call", "library calls", before.library_calls, after.library_calls


def kernel_counts(diff: KernelDiff) -> Iterator[str]:
    """``4 → 6 kernels``, or what is the same."""
    for noun, plural, before, after in _of_kernels(diff):
        word = count(after, noun, plural)
        yield f"{before:,} → {word}" if before != after else word


def _same(report: DiffReport) -> str:
    counts = report.diff.after
    parts = [count(counts.graphs, "graph")]
    if report.areas["kernels"] is not None:
        parts = [
            count(counts.kernels, "kernel"),
            count(counts.launches, "launch", "launches"),
            count(counts.library_calls, "library call"),
            *parts,
        ]
    return ", ".join(parts)
