"""What is to be known about how calls were measured, one sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.events.device_profile import DeviceProfile, FailedCall
from inspector.findings.wording import count
from inspector.graphs.fusion import Fusion
from inspector.model.kernel import GraphCode
from inspector.profiles.budget import Budget
from inspector.profiles.timed import TimedLaunch

__all__ = ["approximate_notice", "measured_notices", "unseen_notice"]

_LEAST_CALLS = 20
_KINDS = {
    "warm-up": "call to warm up",
    "plain": "unwatched call",
    "watched": "call under the profiler",
    "eager": "call without the compiler",
    "explained": "call whose host was watched",
    "memory": "call whose memory was measured",
}
_TEENS = range(11, 14)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def measured_notices(profile: DeviceProfile, budget: Budget) -> Iterator[str]:
    """What limits the measurements of an input."""
    if profile.error is not None:
        yield f"{_failed(profile.error)}; what was measured until then is shown"
    elif profile.blocks and budget.calls < _LEAST_CALLS:
        yield (
            f"only {count(budget.calls, 'call')} could be timed of each kind, because they take "
            "long: medians of so few say little of how times vary"
        )
    if profile.unmatched:
        yield (
            f"{profile.unmatched} of {count(len(profile.launches), 'launch', 'launches')} of a "
            "call were not found in the call that was watched closely: where they come from is "
            "known in part or not at all"
        )
    if len(budget.busy_by_device_ns) > 1:
        yield (
            f"{len(budget.busy_by_device_ns)} GPUs were used: idle is when none of them works, and "
            "kernels of all are held against what the first can do"
        )


def approximate_notice(budgets: Iterable[Budget]) -> str:
    """That causes of idle time come from calls that took longer, or an empty string."""
    found = sorted(item.explained_slowdown or 0.0 for item in budgets if item.is_approximate)
    if not found:
        return ""
    times = f"{found[0]:.2f}"
    if len(found) > 1:
        times = f"{times} to {found[-1]:.2f}"
    return (
        "why the GPU had nothing to do is approximate: the call whose host was watched took "
        f"{times} times as long, and its causes are scaled to the idle time of an unwatched one, "
        "so that they add up"
    )


def _failed(error: FailedCall) -> str:
    place = error.number
    ending = "th" if place % 100 in _TEENS else _ENDINGS.get(place % 10, "th")
    what = _KINDS.get(error.what, "call")
    return f"the {place}{ending} {what} failed ({error.error.rstrip('.')})"


def unseen_notice(
    codes: Iterable[GraphCode], fusions: Iterable[Fusion], launches: Iterable[TimedLaunch]
) -> str:
    """Which graphs have kernels of which none was seen in a call, or an empty string.

    Args:
        codes: The generated code of all graphs.
        fusions: What became of them: code that is not Python says nothing of its kernels.
        launches: What was seen in calls with any input.
    """
    seen = {id(item.code) for item in launches if item.code is not None}
    scheduled = {_key(item) for item in fusions if item.steps}
    unseen = [
        code
        for code in codes
        if id(code) not in seen and (code.kernels or (not code.calls and _key(code) in scheduled))
    ]
    if not unseen:
        return ""
    named = ", ".join(f"{code.compile_id} ({code.direction})" for code in unseen)
    what = "graph has" if len(unseen) == 1 else "graphs have"
    why = (
        "their code is not Python (`cpp_wrapper`), so that what it does has no line"
        if not any(code.calls for code in unseen)
        else "no warm call reached their code, or it could not be marked"
    )
    return f"{len(unseen)} {what} kernels of which none was seen in a call: {named}; {why}"


def _key(item: GraphCode | Fusion) -> tuple[str, str]:
    return item.compile_id, item.direction
