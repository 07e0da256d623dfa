"""What is to be known about how calls were measured, one sentence each."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Sequence

from inspector.findings.ceiling_wording import (
    busy_notice,
    others_notice,
    throttled_notice,
    unstable_notice,
)
from inspector.findings.command_line import command_again
from inspector.findings.made_lines import made_lines_notices
from inspector.findings.overview import reading_texts
from inspector.findings.profiled import Profiled
from inspector.findings.wording import count, duration, listed
from inspector.graphs.fusion import Fusion
from inspector.model.kernel import GraphCode
from inspector.model.run import Run
from inspector.model.units import ordinal
from inspector.profiles.budget import APPROXIMATE, Budget, is_near
from inspector.profiles.kernel_timing import KernelTiming
from inspector.profiles.launch_timing import LaunchTiming
from inspector.profiles.library_names import shown_name
from inspector.records.ceilings import Ceilings
from inspector.records.device_profile import KEEPS_GRADIENT, DeviceProfile, FailedCall

_WITHOUT = {KEEPS_GRADIENT: "gradients that autograd adds up"}
_MOST_WITHOUT = 3
_LEAST_WITHOUT = 0.0005  # less is 0.0 %
_COMPILING = 2  # calls with each input, before any is measured
_LEAST_CALLS = 20
_SHORT_NS = 500_000
_KINDS = {
    "warm-up": "call to warm up",
    "plain": "unwatched call",
    "watched": "call under the profiler",
    "eager": "call without the compiler",
    "explained": "call whose host was watched",
    "memory": "call whose memory was measured",
}


def profile_notices(
    run: Run,
    profiles: Sequence[Profiled],
    ceilings: Ceilings | None,
    unread: Iterable[str],
) -> Iterator[str]:
    """All that is to be known about the profiles of a run, what could not be read of it first.

    Args:
        run: The run.
        profiles: One for each input.
        ceilings: What the machine can do, or None.
        unread: What was found amiss while the profiles were read; it comes last.
    """
    yield from reading_texts(run)
    missing = list(_cut_off(run, profiles, ceilings))
    if missing:
        what = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
        were = "was" if len(missing) == 1 else "were"
        yield f"the log ends before {what} {were} written: the program was ended, or the log cut"
    elif not profiles:
        yield _no_profile(run)
    elif ceilings is None:
        yield "what the machine can do was not measured: nothing is held against it"
    else:
        yield from filter(None, (busy_notice(ceilings), unstable_notice(ceilings)))
    for found in profiles:
        which = f"input {found.profile.input + 1}: " if len(profiles) > 1 else ""
        for notice in input_notices(found):
            yield f"{which}{notice}"
    launches = (item for found in profiles for work in found.work for item in work.launches)
    yield from made_lines_notices(line for item in launches for line in item.lines)
    is_cpu = any(found.is_cpu for found in profiles)
    if approximate := approximate_notice((item.budget for item in profiles), is_cpu=is_cpu):
        yield approximate
    yield from unread


def _cut_off(run: Run, profiles: Sequence[Profiled], ceilings: Ceilings | None) -> Iterator[str]:
    """What is missing because the log ends too early."""
    meta = run.meta
    is_known = bool(meta.error or meta.partial)  # why it ended
    if is_known or not _is_asked_for(run) or any(process.ended for process in run.processes):
        return
    there = {found.profile.input for found in profiles}
    inputs = {call.input_index for process in run.processes for call in process.calls}
    numbers = [str(index + 1) for index in sorted(inputs - there)]
    if not profiles:
        yield "a profile"
        return
    if numbers:
        what = "the profile of input" if len(numbers) == 1 else "the profiles of inputs"
        yield f"{what} {listed(numbers)}"
    if any(item.memory is None for item in profiles):
        yield "what a call allocates"
    if ceilings is None:
        yield "what the machine can do"


def _is_asked_for(run: Run) -> bool:
    """Whether it was recorded for a profile; older recordings, and logs alone, show it by calls."""
    settings = run.meta.settings
    calls = (call.call for process in run.processes for call in process.calls)
    is_further = not settings.get("measure") and any(number >= _COMPILING for number in calls)
    return bool(settings.get("profile")) or is_further


def _no_profile(run: Run) -> str:
    if run.meta.error or run.meta.partial:
        return "nothing was timed before it ended"
    return f"the recording has no profile: `{command_again(run, 'profile')}` records one"


def input_notices(found: Profiled) -> Iterator[str]:
    """What is to be known about the profile of one input."""
    yield from measured_notices(found.profile, found.budget)
    yield from _put_back(found.profile, found.budget)
    if found.profile.other_calls:
        calls = found.profile.other_calls + len(found.profile.calls)
        yield (
            f"{found.profile.other_calls} of {calls} watched calls launched something else than "
            "the others, and are left out"
        )
    threads = {item.launch.stream for work in found.work for item in work.launches}
    if found.is_cpu and len(threads) > 1:
        yield (
            f"{len(threads)} threads worked: their times are added up, also where they worked at "
            "once; memory that other threads ask for is not seen"
        )
    if found.is_cpu and not _is_alike(found.budget.shown_slowdown):
        yield _other_calls(found.budget)
    elif not found.is_cpu and found.budget.profiled is not None and found.budget.is_slowed:
        low, ratio, high = found.budget.profiled
        bound = f"; this is said from {APPROXIMATE} on, so that the next run may not say it"
        near = bound if is_near((low, high)) else ""
        yield (
            f"the profiler made calls {ratio:.2f} times as long ({low:.2f} to {high:.2f}); "
            "kernels take what they take, and what is said of the host is in proportion"
            f"{near}"
        )
    if found.state is not None:
        yield from filter(None, (others_notice(found.state), throttled_notice(found.state)))
    if found.work and 1 - found.attributed >= _LEAST_WITHOUT:
        yield _without_line(found)


def _is_alike(ratio: float) -> bool:
    return 1 / APPROXIMATE <= ratio <= APPROXIMATE


def _other_calls(budget: Budget) -> str:
    """That tables add up to another time than that of a call, with both."""
    shown, wall = (duration(round(time_ns)) for time_ns in (budget.shown_ns or 0, budget.wall_ns))
    return (
        f"times by kernel, line, operator and module are of calls under the profiler, and add up "
        f"to the {shown} that these took; unwatched ones took {wall}: shares are of either, and "
        "what could be won is in proportion"
    )


def _without_line(found: Profiled) -> str:
    """How much leads to no line, and what that is."""
    whole_ns = found.whole_ns or 1.0
    times: collections.Counter[str] = collections.Counter()
    times["what is outside of statements and operators"] += round(found.outside_ns)
    for item in found.work:
        if not item.lines:
            times[_WITHOUT.get(item.name, _shown(item))] += round(item.time_ns)
    named = [
        f"{time_ns / whole_ns:.1%} {name}"
        for name, time_ns in times.most_common(_MOST_WITHOUT)
        if time_ns >= whole_ns / 1000
    ]
    said = f"{1 - found.attributed:.1%} of the time could not be joined to a line"
    return f"{said}: {', '.join(named)}" if named else said


def _shown(work: KernelTiming) -> str:
    """A kernel of PyTorch's own without its types, an operator as it is called in Python."""
    return shown_name(work.name) if work.launches[0].launch.grid else work.name.replace("::", ".")


def _put_back(profile: DeviceProfile, budget: Budget) -> Iterator[str]:
    """That short calls take longer here than in a loop, as something stands between them."""
    if profile.back_to_back is False and 0 < budget.wall_ns < _SHORT_NS:
        yield (
            "calls change the model or their arguments, or draw random numbers, and that is put "
            "back before each call, which empties the processor's caches: calls of less than half "
            "a millisecond may take less in a loop of the program's own"
        )


def measured_notices(profile: DeviceProfile, budget: Budget) -> Iterator[str]:
    """What limits the measurements of an input."""
    if profile.error is not None:
        # Rounds are made behind the first eager calls: there are some although none of those is.
        is_eager_alone = profile.error.what == "eager" and not profile.eager_ns
        rest = "what was measured until then is shown"
        if is_eager_alone and profile.watched_ns:
            rest = "calls with the compiler were measured all the same"
        yield f"{_failed(profile.error)}; {rest}"
    elif profile.blocks and budget.calls < _LEAST_CALLS:
        yield (
            f"only {count(budget.calls, 'call')} could be timed of each kind before the time for "
            "that was over: medians of so few say little of how times vary"
        )
    if budget.left_out:
        rounds = len({block.round for block in profile.blocks})
        times = listed([f"{times:.2g}" for times in budget.left_out])
        are = "is" if len(budget.left_out) == 1 else "are"
        yield (
            f"{len(budget.left_out)} of {rounds} rounds of calls took {times} times as long as "
            f"usual, and {are} left out: something was compiled, or the machine had other work, or "
            "became faster or slower"
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


def approximate_notice(budgets: Iterable[Budget], *, is_cpu: bool = False) -> str:
    """That causes of idle time come from calls that took longer, or an empty string.

    Where calls of the same kind are on both sides of the bound, that is said, too: what is
    approximate in one run need not be in the next.

    Args:
        budgets: Where the time of calls with each input goes.
        is_cpu: Whether they ran on the CPU.
    """
    every = [item for item in budgets if item.explained_slowdown is not None]
    slow = sorted((item for item in every if item.is_approximate), key=_explained)
    near = sorted((item for item in every if item.may_be_approximate), key=_explained)
    if not slow and not near:
        return ""
    left = "what is left" if is_cpu else "the idle time"
    also = f"; {_is_near(near)}" if near else ""
    if not slow:
        return f"the call whose host was watched took {_times_as_long(near)} times as long{also}"
    what = "what is done beside kernels" if is_cpu else "why the GPU had nothing to do"
    return (
        f"{what} is approximate: the call whose host was watched took "
        f"{_times_as_long(slow)} times as long, and its causes are scaled to {left} of an "
        f"unwatched one, so that they add up{also}"
    )


def _explained(budget: Budget) -> float:
    return budget.explained_slowdown or 0.0


def _times_as_long(budgets: Sequence[Budget]) -> str:
    first, last = (f"{_explained(budgets[place]):.2f}" for place in (0, -1))
    return first if len(budgets) == 1 else f"{first} to {last}"


def _is_near(budgets: Sequence[Budget]) -> str:
    """That chance decided on which side of the bound the call was."""
    ranges = [item.explained_range for item in budgets if item.explained_range is not None]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    return (
        f"such calls took {low:.2f} to {high:.2f} times as long, and from {APPROXIMATE} on the "
        "causes are called approximate: another run may say otherwise"
    )


def _failed(error: FailedCall) -> str:
    if not error.number:
        return error.error.rstrip(".")
    what = _KINDS.get(error.what, "call")
    if error.error.startswith("KeyboardInterrupt"):
        return f"it was interrupted at the {ordinal(error.number)} {what}"
    return f"the {ordinal(error.number)} {what} failed ({error.error.rstrip('.')})"


def uncounted_notices(launches: Sequence[LaunchTiming]) -> Iterator[str]:
    """That some kernels have no counters."""
    kernels = [item for item in launches if item.launch.kind == "kernel"]
    without = sum(not item.counters for item in kernels)
    if without:
        yield (
            f"{without} of {len(kernels)} kernels have no hardware counters: in the call that was "
            "counted they did not run, or Nsight Compute did not see them"
        )


def unseen_notice(
    codes: Iterable[GraphCode], fusions: Iterable[Fusion], launches: Iterable[LaunchTiming]
) -> str:
    """Which graphs have kernels of which none was seen in a call, or an empty string.

    Args:
        codes: The generated code of all graphs.
        fusions: What became of them: code that is not Python says nothing of its kernels.
        launches: What was seen in calls with any input.
    """
    ran = [item.code for item in launches if item.code is not None]
    seen, files = {id(code) for code in ran}, {code.file for code in ran if code.file}
    scheduled = {_key(item) for item in fusions if item.steps}
    unseen = [
        code
        for code in codes
        if not (id(code) in seen or code.file in files)
        and (code.kernels or (not code.calls and _key(code) in scheduled))
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
