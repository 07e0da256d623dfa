"""What is to be known about how calls were measured, one sentence each."""

from collections.abc import Iterable, Iterator, Sequence

from inspector.features.profile.budget import APPROXIMATE, Budget
from inspector.features.profile.ceiling_wording import throttled_notice
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.profiled import Profiled
from inspector.records.ceilings import Ceilings
from inspector.records.device_profile import DeviceProfile, FailedCall
from inspector.report.command_line import command_again
from inspector.report.file_names import short_names
from inspector.report.overview import reading_texts
from inspector.report.wording import count, duration, listed
from inspector.run.run import Run
from inspector.shared.units import ordinal

_LEAST_CALLS = 20
# As in inspector/capture/profiling/ceilings.py, which keeps such figures for an hour only.
_BUSY_PERCENT = 10
_MOST_FUNCTIONS = 3
_KINDS = {
    "warm-up": "warm-up call",
    "plain": "unwatched call",
    "watched": "call under the profiler",
    "eager": "call without torch.compile",
    "explained": "call under the host tracer",
}


def profile_notices(
    run: Run, profiles: Sequence[Profiled], ceilings: Ceilings | None, unread: Iterable[str]
) -> Iterator[str]:
    """All that is to be known about the profiles of a run, what could not be read of it first.

    Args:
        unread: What was found amiss while the profiles were read; it comes last.
    """
    yield from reading_texts(run)
    meta = run.meta
    has_reason = meta.error or meta.partial
    is_ended = any(process.ended for process in run.processes)
    if meta.settings.get("profile") and not has_reason and not is_ended:
        yield "the log ends early, because the program was killed or the log was truncated"
    elif not profiles:
        ended = "the run ended before anything was timed"
        again = f"the recording has no profile: run `{command_again(run, 'profile')}` to record one"
        yield ended if has_reason else again
    elif ceilings is None:
        yield "peak rates were not measured, so shares of peak are missing"
    elif (ceilings.others_percent or 0) > _BUSY_PERCENT:
        yield (
            "peak rates were measured while other programs used the GPU "
            f"({ceilings.others_percent}% of the time): pass `--fresh-ceilings` to measure again"
        )
    for found in profiles:
        which = f"input {found.profile.input + 1}: " if len(profiles) > 1 else ""
        for notice in input_notices(found):
            yield f"{which}{notice}"
    yield from unread


def input_notices(found: Profiled) -> Iterator[str]:
    """What is to be known about the profile of one input."""
    budget = found.budget
    yield from measured_notices(found.profile, budget)
    if found.profile.other_calls:
        calls = found.profile.other_calls + len(found.profile.calls)
        yield (
            f"{found.profile.other_calls} of {calls} profiled calls launched different kernels "
            "from the rest and were excluded"
        )
    if found.is_cpu and not 1 / APPROXIMATE <= budget.shown_slowdown <= APPROXIMATE:
        shown, wall = (duration(time_ns) for time_ns in (budget.shown_ns or 0, budget.wall_ns))
        yield f"tables show calls under the profiler, which take {shown} each instead of {wall}"
    state = found.state
    if state is not None and (state.others_percent or 0) > _BUSY_PERCENT:
        yield (
            f"another program used the GPU {state.others_percent}% of the time, so calls took "
            "longer: choose a free GPU with CUDA_VISIBLE_DEVICES"
        )
    if state is not None:
        yield from filter(None, [throttled_notice(state)])


def measured_notices(profile: DeviceProfile, budget: Budget) -> Iterator[str]:
    """What limits the measurements of an input."""
    if profile.error is not None:
        yield f"{_failed(profile.error)}; measurements so far are shown"
    elif profile.blocks and budget.calls < _LEAST_CALLS:
        yield f"only {count(budget.calls, 'call')} each, compiled and eager, fit in the time limit"
    if profile.unmatched:
        launches = count(len(profile.launches), "launch", "launches")
        yield f"{profile.unmatched} of {launches} per call could not be matched to code"
    if len(budget.busy_by_device_ns) > 1:
        yield f"{len(budget.busy_by_device_ns)} GPUs were used; peak shares are for the first one"


def _failed(error: FailedCall) -> str:
    if not error.number:
        return error.error.rstrip(".")
    what = _KINDS.get(error.what, "call")
    if error.error.startswith("KeyboardInterrupt"):
        return f"interrupted during the {ordinal(error.number)} {what}"
    return f"the {ordinal(error.number)} {what} failed ({error.error.rstrip('.')})"


def uncounted_notices(launches: Sequence[LaunchTiming]) -> Iterator[str]:
    """That some kernels have no counters."""
    kernels = [item for item in launches if item.launch.kind == "kernel"]
    without = sum(not item.counters for item in kernels)
    if without:
        yield f"{without} of {len(kernels)} kernels have no hardware counters"


def limit_notice(run: Run) -> str:
    """Which functions torch no longer compiles, in one sentence; or an empty string."""
    places = dict.fromkeys(
        (frame.file, frame.first_line)
        for process in run.processes
        for frame in process.frames
        if any(item.hit_limit for item in frame.compilations)
    )
    if not places:
        return ""
    names = short_names(file for file, _ in places)
    shown = listed([f"{names[file]}:{line}" for file, line in places], _MOST_FUNCTIONS)
    runs = "it runs eagerly" if len(places) == 1 else "they run eagerly"
    return (
        f"the code at {shown} hit the recompile limit, so {runs} in calls that match no compiled "
        "version; `inspect explain` shows the reasons"
    )
