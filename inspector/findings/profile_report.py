"""Everything that is said about the profiles of a run."""

from __future__ import annotations

import dataclasses
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence

from inspector.events.ceilings import InspectorCeilings, InspectorDeviceState
from inspector.events.counted import CountedKernel
from inspector.events.device_profile import DeviceProfile, device_profile
from inspector.findings.ceiling_wording import throttled_notice
from inspector.findings.graph_report import FUSION, make_graph_report
from inspector.findings.kernels_report import make_kernels_report
from inspector.findings.memory_report import memory_by_input
from inspector.findings.profile_notices import approximate_notice, measured_notices, unseen_notice
from inspector.graphs.fusion import Fusion
from inspector.graphs.step_names import short_name
from inspector.model.kernel import NodeLine
from inspector.model.run import Process, Run
from inspector.profiles.autotuned import Autotuning, make_autotuning
from inspector.profiles.budget import Budget, busy, make_budget
from inspector.profiles.counted import with_counters
from inspector.profiles.memory import MemoryUse
from inspector.profiles.step_facts import Part
from inspector.profiles.timed import TimedLaunch, time_by, timed_launches
from inspector.profiles.verdict import Gain, gains
from inspector.profiles.work import Work, all_work

__all__ = ["FORMAT_VERSION", "ProfileReport", "Profiled", "make_profile_report"]

FORMAT_VERSION = 1
"""Of a report on profiles as JSON: counts up when a field changes its meaning or goes."""
_NOISY = 1.15
_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


@dataclasses.dataclass(frozen=True, slots=True)
class Profiled:
    """The warm calls with one input.

    Attributes:
        profile: What was recorded.
        budget: Where the time of a call goes.
        work: What a call does, in order.
        by_line: Nanoseconds of a call by the user's file and line, the most first.
        by_operator: The same by operator of ATen, before decompositions.
        by_module: The same by path of the innermost module, with `*` for numbers in it.
        code: The text of those lines that are known.
        gains: What could be won, the most first.
        state: Clocks and power of the GPU around it, or None.
        memory: What a call allocates, or None where that is not known.
    """

    profile: DeviceProfile
    budget: Budget
    work: tuple[Work, ...]
    by_line: Mapping[tuple[str, int], float]
    by_operator: Mapping[str, float]
    by_module: Mapping[str, float]
    code: Mapping[tuple[str, int], str]
    gains: tuple[Gain, ...]
    state: InspectorDeviceState | None = None
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
    def outside_ns(self) -> float:
        """On the CPU: the time of a call that no statement and no operator accounts for."""
        if not self.is_cpu or not self.work:
            return 0.0
        # In the calls that were watched: of each what its spans leave.
        left = [max(0, call.wall_ns - busy(call)) for call in self.profile.calls]
        return float(statistics.median(left)) if left else 0.0

    @property
    def whole_ns(self) -> float:
        """What shares are of: the time of all work; on the CPU, of the whole call."""
        return self.work_ns + self.outside_ns

    @property
    def attributed(self) -> float:
        """How much of that leads to a line of the user's."""
        known = sum(item.median_ns for item in self.work if item.lines)
        return known / self.whole_ns if self.whole_ns else 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class ProfileReport:
    """The profiles of a run.

    Attributes:
        run: The run.
        profiles: One for each input.
        ceilings: What the machine can do, or None.
        notices: What is missing or to be known, one sentence each.
        autotuning: What autotuning tried, or None where the recording has nothing of it.
        all_tuned: Whether all of that is shown.
    """

    run: Run
    profiles: tuple[Profiled, ...]
    ceilings: InspectorCeilings | None
    notices: tuple[str, ...]
    autotuning: Autotuning | None = None
    all_tuned: bool = False

    @property
    def wall_ns(self) -> float:
        """The time of a call with the first input, or 0."""
        return self.profiles[0].budget.wall_ns if self.profiles else 0.0


def make_profile_report(
    run: Run,
    counted: Sequence[CountedKernel] = (),
    notice: str = "",
    *,
    all_tuned: bool = False,
) -> ProfileReport:
    """Reads the profiles of a run, whose logs must still be there.

    Args:
        run: The run.
        counted: What Nsight Compute counted in a call with the first input.
        notice: What is to be said besides, in one sentence without a full stop.
        all_tuned: Whether all that autotuning tried is shown.

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
        run,
        tuple(profiles),
        ceilings,
        tuple(_notices(run, profiles, ceilings, unread)),
        autotuning=make_autotuning(run.processes, profiles[0].work if profiles else ()),
        all_tuned=all_tuned,
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
    every: list[TimedLaunch] = []
    for payload in process.device_profiles:
        try:
            profile = device_profile(payload)
        except (OSError, ValueError) as error:
            unread.append(f"a profile could not be read: {error}")
            continue
        functions = _functions(process)
        launches = timed_launches(profile, codes, fusions, functions)
        every += launches
        memory = memory_by_input(process, codes, launches, functions, unread).get(profile.input)
        if counted and not profile.input:
            launches = with_counters(launches, counted)
            unread += _uncounted(launches)
        l2_bytes = profile.device.get("l2_bytes")
        work = all_work(launches, process.ceilings, l2_bytes if isinstance(l2_bytes, int) else 0)
        budget = make_budget(profile)
        if not any(compilation.graph_breaks for compilation in alone.compilations):
            budget = _without_breaks(budget)
        is_cpu = profile.device.get("kind") == "cpu"
        found = gains(budget, work, mode, is_cpu=is_cpu)
        states = (item for item in process.device_states if item.input == profile.input)
        yield Profiled(
            profile=profile,
            budget=budget,
            work=tuple(work),
            by_line=time_by(launches, _place_of),
            by_operator=time_by(launches, _operator_of),
            by_module=time_by(launches, _module_of),
            code=_code(run, launches),
            gains=tuple(found),
            state=next(states, None),
            memory=memory,
        )
    unseen = unseen_notice(codes, fusions, every) if every else ""
    unread += [unseen] if unseen else []


def _without_breaks(budget: Budget) -> Budget:
    """Between compiled graphs without a graph break the program's own code runs."""
    causes = dict(budget.causes_ns)
    between_ns = causes.pop("graph-break", 0.0)
    if between_ns:
        causes["outside"] = causes.get("outside", 0.0) + between_ns
    ordered = dict(sorted(causes.items(), key=lambda item: -item[1]))
    return dataclasses.replace(budget, causes_ns=ordered)


def _place_of(part: Part) -> tuple[str, int] | None:
    return (part.line.file, part.line.line) if part.line.file else None


def _operator_of(part: Part) -> str | None:
    return short_name(part.operator) or None


def _module_of(part: Part) -> str | None:
    if not part.line.file:
        return None
    return _NUMBER.sub("*", part.line.module) or "(in no submodule)"


def _code(run: Run, launches: Sequence[TimedLaunch]) -> Mapping[tuple[str, int], str]:
    lines = {(line.file, line.line): line.code for item in launches for line in item.lines}
    texts = {key: text or run.sources.line(*key) or "" for key, text in lines.items()}
    return {key: text.strip() for key, text in texts.items() if text}


def _uncounted(launches: Sequence[TimedLaunch]) -> Iterator[str]:
    """That some kernels have no counters."""
    kernels = [item for item in launches if item.launch.kind == "kernel"]
    without = sum(not item.counters for item in kernels)
    if without:
        yield (
            f"{without} of {len(kernels)} kernels have no hardware counters: in the call that was "
            "counted they did not run, or Nsight Compute did not see them"
        )


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
        yield _no_profile(run)
    if profiles and ceilings is None:
        yield "what the machine can do was not measured: nothing is held against it"
    for found in profiles:
        which = f"input {found.profile.input + 1}: " if len(profiles) > 1 else ""
        for notice in _of_input(found):
            yield f"{which}{notice}"
    if approximate := approximate_notice(found.budget for found in profiles):
        yield approximate
    if any(map(_keeps_for_nothing, profiles)) and not run.meta.settings.get("train"):
        yield (
            "gradients are on, so what a backward pass would need is kept: --no-grad is for "
            "inference, --train for training"
        )
    yield from unread


def _no_profile(run: Run) -> str:
    if run.meta.error or run.meta.partial:
        return "nothing was timed before it ended"
    target = run.meta.target or "model.py"
    return f"the recording has no profile: `inspect profile {target}` records one"


def _keeps_for_nothing(found: Profiled) -> bool:
    """Whether forward passes ran, and no backward pass."""
    codes = [item.launches[0].code for item in found.work]
    directions = {code.direction for code in codes if code is not None}
    return "forward" in directions and "backward" not in directions


def _of_input(found: Profiled) -> Iterator[str]:
    yield from measured_notices(found.profile, found.budget)
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
    if found.budget.slowdown > _NOISY:
        kernels = "kernels take what they take, and " if not found.is_cpu else ""
        yield (
            f"the profiler made calls {found.budget.slowdown:.2f} times as long; {kernels}what is "
            "said of the host is in proportion"
        )
    throttled = throttled_notice(found.state) if found.state is not None else ""
    if throttled:
        yield throttled
    if found.work and found.attributed < 1:
        yield f"{1 - found.attributed:.1%} of the time could not be joined to a line"
