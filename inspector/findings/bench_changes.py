"""What is said about a bench against an earlier one."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.benches.comparison import BenchComparison, Change
from inspector.findings.wording import count, duration, size

_TIMES = "\N{MULTIPLICATION SIGN}"
_NAMES = {
    "graphs": "graph",
    "graph_breaks": "graph break",
    "recompiles": "recompilation",
    "kernels": "kernel",
}


def comparison_title(comparison: BenchComparison) -> str:
    """``against old.json (2026-11-20, NVIDIA H200, torch 2.11.0): 2 of 6 combinations changed``."""
    earlier = comparison.earlier
    torch = f"torch {earlier.torch}" if earlier.torch else ""
    about = (earlier.started[:10], earlier.device, torch)
    # What is not measured any more was no match.
    kept = [item for item in comparison.changes if item.row is not None]
    changed = len({(item.inputs, item.label) for item in kept})
    many = count(comparison.compared, "combination")
    said = f"no change beyond noise in {many}"
    if changed:
        said = f"{changed} of {count(max(changed, comparison.compared), 'combination')} changed"
    elif not comparison.matched:
        said = "no combination in common"
    elif not comparison.compared:
        said = "no combination has a ratio to eager in both"
    return f"against {earlier.name} ({', '.join(filter(None, about))}): {said}"


def change_lines(comparison: BenchComparison) -> Iterator[tuple[str, bool | None]]:
    """Each change in a sentence, and whether it is one for the worse."""
    if comparison.is_of_another:
        said = f"of another model ({comparison.earlier.target}, not {comparison.target})"
        yield said, True
    several = len({change.inputs for change in comparison.changes}) > 1
    for change in comparison.changes:
        name = f"{change.inputs}: {change.label}" if several else change.label
        yield f"{name}: {_said(change)}", change.is_worse
    kinds = {change.what for change in comparison.changes}
    is_same = comparison.same_machine and not comparison.is_of_another
    if kinds and is_same and comparison.compared and not kinds & {"faster", "time", "there"}:
        yield "times have not changed by more than noise", None
    if comparison.others and comparison.matched:
        yield _otherwise(comparison), None


def _otherwise(comparison: BenchComparison) -> str:
    """``device: NVIDIA H200 now, cpu then; plain times and memory are not compared``."""
    named = "; ".join(
        f"{other.what}: {other.now or 'unknown'} now, {other.before or 'unknown'} then"
        for other in comparison.others
    )
    left_out = "times" if comparison.same_device else "times and memory"
    return f"{named}: {left_out} are not compared, only ratios to eager"


def is_worse(comparison: BenchComparison | None) -> bool:
    """Whether anything has changed for the worse, or it could not be compared."""
    if comparison is None:
        return False
    there = comparison.compared or any(item.row is not None for item in comparison.changes)
    return (
        not there or comparison.is_of_another or any(item.is_worse for item in comparison.changes)
    )


def _said(change: Change) -> str:
    if change.what == "there":
        return _of_failure(change)
    was, now = change.before or 0, change.after or 0
    said = {
        "faster": f"{was:.2f}{_TIMES} → {now:.2f}{_TIMES} of eager's speed",
        "time": f"{duration(round(was))} → {duration(round(now))} per call",
        "memory": f"peak {size(round(was))} → {size(round(now))}",
        "wrong": "results are wrong now" if now else "results are right again",
    }
    if change.what == "memory" and was:
        return f"{said['memory']} ({now / was - 1:+.0%})"
    if change.what in said:
        return said[change.what]
    noun = _NAMES[change.what]
    return f"{count(round(was), noun)} → {count(round(now), noun)}"


def _of_failure(change: Change) -> str:
    if change.row is None:
        return "not measured any more"
    return f"fails now: {change.row.failure}" if change.is_worse else "runs again"
