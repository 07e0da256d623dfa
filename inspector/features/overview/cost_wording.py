"""What a graph break costs, in words that all renderers share."""

import statistics
from collections.abc import Iterator

from inspector.features.recompiles.wording import compile_cost
from inspector.report.finding import Finding
from inspector.report.report import Report
from inspector.report.wording import count, duration, listed, size
from inspector.run.cost import Cost, CostKind, Part
from inspector.run.timeline import call_variation, warm_call_ns

_SMALL = 0.005
_UNSTABLE = 0.25
"""Of calls of which there are few, one after another: `inspect profile` makes blocks of them."""
_VARIED = 1.5
_TENS = 10
_SCALED = 0.9
_NEAR = 0.01
_GUARDS = "guard-cost"  # inspector/features/guards/rules/guard_cost.py


def finding_cost_lines(finding: Finding) -> tuple[str, ...]:
    """What a finding costs: in a warm call, or, of recompilations, once."""
    once = compile_cost(finding.recompiles)
    return (*cost_lines(finding.cost), *((once,) if once else ()))


def cost_lines(cost: Cost | None) -> tuple[str, ...]:
    """What a finding says of its cost, one sentence each, without full stops."""
    if cost is None:
        return ()
    if cost.kind is CostKind.MEASURED and cost.cost_ns is not None:
        return tuple(_lines(cost, cost.cost_ns))
    head = f"unknown: {cost.note}" if cost.note else "unknown"
    if cost.kind is CostKind.COMPUTED and cost.cost_ns is not None:
        from_what = "computed only from the bytes passed to the next graph; "
        note = f"{from_what if cost.crossing_bytes else ''}{cost.note}"
        head = f"{duration(cost.cost_ns)} ({note})"
    return (head, *([_crossing(cost, cost.crossing_bytes)] if cost.crossing_bytes else []))


def _lines(cost: Cost, cost_ns: int) -> Iterator[str]:
    of_call = f" of {duration(cost.call_ns)} per call" if cost.call_ns else ""
    what = "for the whole function, which runs eagerly" if cost.is_whole_frame else ""
    times = _times(cost)
    how = f"{cost.kind.value} in {count(cost.calls, 'warm call')}{_how_sure(cost)}"
    head = " ".join(part for part in (f"{duration(cost_ns)}{of_call}", what, times) if part)
    yield f"{head} ({how})"
    parts = [f"{duration(share.time_ns)} {share.part.value}" for share in cost.shares]
    if parts:
        # A device hides some of them, or has more to do.
        outside_ns = cost.outside_ns or 0
        apart_ns = abs(sum(share.time_ns for share in cost.shares) - outside_ns)
        where = "" if apart_ns <= _NEAR * outside_ns else ", on the host"
        yield f"outside graphs{where}: {', '.join(parts)}"
    if cost.crossing_bytes:
        yield _crossing(cost, cost.crossing_bytes)
    if cost.shared_ns:
        others = listed(cost.shared_with, 3)
        yield f"another {duration(cost.shared_ns)} is shared with {others}"


def _how_sure(cost: Cost) -> str:
    slower = f", scaled by {cost.scale:.2f}" if cost.scale < _SCALED else ""
    if cost.spread <= _UNSTABLE:
        return slower
    factor = 1 + cost.spread
    shown = f"{cost.spread:.0%}" if factor < _TENS else f"{factor:,.0f}\N{MULTIPLICATION SIGN}"
    return f"{slower}; timings vary by {shown}"


def _times(cost: Cost) -> str:
    times = cost.executions_per_call
    if times is None or cost.is_whole_frame or abs(times - 1) < _SMALL:
        return ""
    return f"in {times:.3g} executions"


def _crossing(cost: Cost, crossing_bytes: int) -> str:
    text = f"{size(crossing_bytes)} is passed to the next graph"
    if not cost.fusible_bytes:
        return text
    part = "all of it" if cost.fusible_bytes == crossing_bytes else size(cost.fusible_bytes)
    time = f" ({duration(cost.crossing_ns)}, computed)" if cost.crossing_ns else ""
    return f"{text}; fusion could avoid {part}{time}"


def total_line(report: Report) -> tuple[str, str] | None:
    """The time of a warm call, and how much of it breaks take; None where nothing was measured."""
    known = (warm_call_ns(process.profiles) for process in report.run.processes)
    calls_ns = [call_ns for call_ns in known if call_ns]
    if not calls_ns:
        return None
    call_ns = round(statistics.mean(calls_ns))
    factor = max(call_variation(process.profiles) for process in report.run.processes)
    shown = f"{factor:.1f}" if factor < _TENS else f"{factor:,.0f}"
    varied = f"timings vary by {shown}\N{MULTIPLICATION SIGN}" if factor > _VARIED else ""
    costs = [
        (finding.rule, finding.cost) for finding in report.findings if finding.cost is not None
    ]
    measured = [cost for _, cost in costs if cost.kind is CostKind.MEASURED]
    if not measured:
        return duration(call_ns), varied
    # All guards of a call are a finding of their own, and those behind a break a part of its cost.
    guards_ns = sum(cost.outside_ns or 0 for rule, cost in costs if rule == _GUARDS)
    told_ns = sum(
        share.time_ns for cost in measured for share in cost.shares if share.part is Part.GUARDS
    )
    own_ns = sum(cost.outside_ns or 0 for cost in measured) - min(guards_ns, told_ns)
    shared_ns = max((cost.shared_ns for cost in measured), default=0)
    # Of several processes each site has the cost of the one in which it costs most.
    outside_ns = min(call_ns, own_ns + shared_ns)
    outside = duration(outside_ns)
    because = f"{outside} of it outside graphs"
    return duration(call_ns), f"{because}; {varied}" if varied else because
