"""What is said about a bench against an earlier one."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.benches.comparison import BenchComparison, Change
from inspector.findings.wording import count, size

_TIMES = "\N{MULTIPLICATION SIGN}"
_NAMES = {
    "graphs": "graph",
    "graph_breaks": "graph break",
    "recompiles": "recompilation",
    "kernels": "kernel",
}


def comparison_title(found: BenchComparison) -> str:
    """``against old.json (2026-11-20, NVIDIA H200, torch 2.11.0): 2 of 6 combinations changed``."""
    earlier = found.earlier
    torch = f"torch {earlier.torch}" if earlier.torch else ""
    about = ", ".join(filter(None, (earlier.started[:10], earlier.device, torch)))
    changed = len({(item.inputs, item.label) for item in found.changes if item.what != "gone"})
    if changed:
        said = f"{changed} of {count(max(changed, found.compared), 'combination')} changed"
    elif found.compared:
        said = f"no change beyond noise in {count(found.compared, 'combination')}"
    else:
        said = "no combination has a ratio to eager in both"
    return f"against {earlier.name} ({about}): {said}"


def change_lines(found: BenchComparison) -> Iterator[tuple[str, bool | None]]:
    """Each change in a sentence, and whether it is one for the worse."""
    if found.is_of_another:
        yield f"of another model ({found.earlier.target}, not {found.target})", True
    several = len({change.inputs for change in found.changes}) > 1
    for change in found.changes:
        name = f"{change.inputs}: {change.label}" if several else change.label
        yield f"{name}: {_said(change)}", change.is_worse
    if found.device != found.earlier.device:
        yield "memory is not compared between devices", None


def _said(change: Change) -> str:
    was, now = change.before or 0, change.after or 0
    match change.what:
        case "gone":
            return "not measured any more"
        case "failed":
            return f"fails now: {change.failure}" if change.is_worse else "runs again"
        case "faster":
            return f"{was:.2f}{_TIMES} → {now:.2f}{_TIMES} of eager's speed"
        case "memory":
            return f"peak {size(round(was))} → {size(round(now))} ({now / was - 1:+.0%})"
        case "wrong":
            return "results are wrong now" if now else "results are right again"
    noun = _NAMES[change.what]
    return f"{count(round(was), noun)} → {count(round(now), noun)}"
