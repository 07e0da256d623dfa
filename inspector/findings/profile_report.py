"""Everything that is said about the profiles of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from inspector.events.counted import CountedKernel
from inspector.events.device_profile import DeviceProfile, InspectorCeilings, device_profile
from inspector.findings.graph_report import FUSION, make_graph_report
from inspector.findings.kernels_report import make_kernels_report
from inspector.findings.memory_report import memory_by_input
from inspector.graphs.fusion import Fusion
from inspector.model.kernel import NodeLine
from inspector.model.run import Process, Run
from inspector.profiles.budget import Budget, make_budget
from inspector.profiles.counted import with_counters
from inspector.profiles.memory import MemoryUse
from inspector.profiles.timed import lines_by_time, timed_launches
from inspector.profiles.verdict import Gain, gains
from inspector.profiles.work import Work, all_work

__all__ = ["FORMAT_VERSION", "ProfileReport", "Profiled", "make_profile_report"]

FORMAT_VERSION = 1
"""Of a report on profiles as JSON: counts up when a field changes its meaning or goes."""
_NOISY = 1.15


@dataclasses.dataclass(frozen=True, slots=True)
class Profiled:
    """The warm calls with one input.

    Attributes:
        profile: What was recorded.
        budget: Where the time of a call goes.
        work: What a call does, in order.
        by_line: Nanoseconds of a call by the user's file and line, the most first.
        gains: What could be won, the most first.
        memory: What a call allocates, or None where that is not known.
    """

    profile: DeviceProfile
    budget: Budget
    work: tuple[Work, ...]
    by_line: Mapping[tuple[str, int], float]
    gains: tuple[Gain, ...]
    memory: MemoryUse | None = None

    @property
    def is_cpu(self) -> bool:
        """Whether it ran on the CPU."""
        return self.profile.device.get("kind") == "cpu"

    @property
    def work_ns(self) -> float:
        """The time of all work of a call."""
        return sum(item.median_ns for item in self.work)

    @property
    def attributed(self) -> float:
        """How much of that leads to a line of the user's."""
        known = sum(item.median_ns for item in self.work if item.lines or item.kind == "loss")
        return known / self.work_ns if self.work_ns else 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class ProfileReport:
    """The profiles of a run.

    Attributes:
        run: The run.
        profiles: One for each input.
        ceilings: What the machine can do, or None.
        notices: What is missing or to be known, one sentence each.
    """

    run: Run
    profiles: tuple[Profiled, ...]
    ceilings: InspectorCeilings | None
    notices: tuple[str, ...]


def make_profile_report(
    run: Run, counted: Sequence[CountedKernel] = (), notice: str = ""
) -> ProfileReport:
    """Reads the profiles of a run, whose logs must still be there.

    Args:
        run: The run.
        counted: What Nsight Compute counted in a call with the first input.
        notice: What is to be said besides, in one sentence without a full stop.

    Raises:
        OSError: A log is gone.
    """
    profiles: list[Profiled] = []
    unread: list[str] = [notice] if notice else []
    mode = str(run.meta.settings.get("mode") or "")
    for process in run.processes:
        profiles += _profiles(run, process, (mode, counted), unread)
    ceilings = next((item.ceilings for item in run.processes if item.ceilings), None)
    return ProfileReport(
        run, tuple(profiles), ceilings, tuple(_notices(run, profiles, ceilings, unread))
    )


def _profiles(
    run: Run, process: Process, how: tuple[str, Sequence[CountedKernel]], unread: list[str]
) -> Iterator[Profiled]:
    mode, counted = how
    alone = dataclasses.replace(run, processes=(process,))
    codes = make_kernels_report(alone).taken if process.device_profiles else ()
    rows = make_graph_report(alone, FUSION).rows if process.device_profiles else ()
    # Inductor counts bytes at the sizes of the call that was compiled: of several inputs it is not
    # known which one that was.
    is_one = len(process.device_profiles) == 1
    fusions = [
        row.fusion if is_one or not row.fusion.hints else _unsized(row.fusion) for row in rows
    ]
    for payload in process.device_profiles:
        try:
            profile = device_profile(payload)
        except (OSError, ValueError) as error:
            unread.append(f"a profile could not be read: {error}")
            continue
        functions = _functions(process)
        launches = timed_launches(profile, codes, fusions, functions)
        memory = memory_by_input(process, codes, launches, functions, unread).get(profile.input)
        if counted and not profile.input:
            launches = with_counters(launches, counted)
        l2_bytes = profile.device.get("l2_bytes")
        work = all_work(launches, process.ceilings, l2_bytes if isinstance(l2_bytes, int) else 0)
        budget = make_budget(profile)
        is_cpu = profile.device.get("kind") == "cpu"
        found = gains(budget, work, mode, is_cpu=is_cpu)
        by_line = lines_by_time(launches)
        yield Profiled(profile, budget, tuple(work), by_line, tuple(found), memory)


def _unsized(fusion: Fusion) -> Fusion:
    """The same without the bytes, which are for other sizes."""
    steps = tuple(dataclasses.replace(step, bytes_=None, flops=None) for step in fusion.steps)
    return dataclasses.replace(fusion, steps=steps)


def _functions(process: Process) -> Mapping[str, NodeLine]:
    return {
        str(compilation.compile_id): NodeLine(frame.name, frame.file, frame.first_line)
        for frame in process.frames
        for compilation in frame.compilations
        if frame.file
    }


def _notices(
    run: Run,
    profiles: list[Profiled],
    ceilings: InspectorCeilings | None,
    unread: list[str],
) -> Iterator[str]:
    if not profiles:
        target = run.meta.target or "model.py"
        yield f"the recording has no profile: `inspect profile {target}` records one"
    if profiles and ceilings is None:
        yield "what the machine can do was not measured: nothing is held against it"
    for found in profiles:
        if found.profile.other_calls:
            yield (
                f"{found.profile.other_calls} of "
                f"{found.profile.other_calls + len(found.profile.calls)} watched calls launched "
                "something else than the others, and are left out"
            )
        if found.budget.slowdown > _NOISY:
            yield (
                f"the profiler made calls {found.budget.slowdown:.2f} times as long; kernels take "
                "what they take, and what is said of the host is in proportion"
            )
        if found.work and found.attributed < 1:
            yield f"{1 - found.attributed:.1%} of the time could not be joined to a line"
    yield from unread
