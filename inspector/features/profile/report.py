"""Everything that is said about the profiles of a run."""

import dataclasses
from collections.abc import Mapping, Sequence

from inspector.features.graph.fusion import Fusion
from inspector.features.graph.report import FUSION, make_graph_report
from inspector.features.kernels.report import make_kernels_report
from inspector.features.profile.autotuned import Autotuning, make_autotuning
from inspector.features.profile.budget import Budget, make_budget
from inspector.features.profile.code_lines import CodeLines
from inspector.features.profile.gains.gains import gains, keeps_for_nothing
from inspector.features.profile.kernel_groups import in_groups
from inspector.features.profile.kernel_timing import kernel_timings
from inspector.features.profile.known_sizes import run_again, with_known_sizes
from inspector.features.profile.launch_timing import (
    LaunchTiming,
    launch_timings,
    recorded_profile,
    time_by,
)
from inspector.features.profile.memory.memory_use import code_of, memory_profiles, memory_use
from inspector.features.profile.notices import limit_notice, profile_notices, uncounted_notices
from inspector.features.profile.nsight_compute import with_counters
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.rounds import of_typical_calls
from inspector.features.profile.step_facts import Part
from inspector.records.ceilings import Ceilings, DeviceState
from inspector.records.device_profile import CountedKernel, DeviceProfile
from inspector.records.memory_profile import MemoryProfile
from inspector.run.kernel import GraphCode, NodeLine
from inspector.run.run import Process, Run
from inspector.shared.gpus import MULTIPROCESSORS_TUNED
from inspector.shared.roots import Owner
from inspector.shared.stack import is_graph_code

FORMAT_VERSION = 1
"""Of a report on profiles as JSON: counts up when a field changes its meaning or goes."""
_UNSIZED = (
    "bytes, FLOPs and shares of peak are unknown with dynamic sizes: profile one input at a time"
)
_UNSIZED_RUNS = (
    "bytes, FLOPs and shares of peak are unknown for a dynamic graph that runs several times per "
    "call"
)


@dataclasses.dataclass(frozen=True, slots=True)
class ProfileReport:
    """The profiles of a run.

    Attributes:
        profiles: Profiles, one for each input.
        ceilings: Peak rates of the machine, or None.
        notices: Notes, one sentence each.
        autotuning: Autotuning results, or None if the recording contains none.
        all_tuned: Whether all of that is shown.
    """

    run: Run
    profiles: tuple[Profiled, ...]
    ceilings: Ceilings | None
    notices: tuple[str, ...]
    autotuning: Autotuning | None = None
    all_tuned: bool = False


def make_profile_report(
    run: Run, counted: Sequence[CountedKernel] = (), notice: str = "", *, all_tuned: bool = False
) -> ProfileReport:
    """Reads the profiles of a run, whose logs must still be there.

    Raises:
        OSError: A log is gone.
    """
    found = [_of_process(run, process, counted) for process in run.processes]
    profiles = [profile for profiled, _ in found for profile in profiled]
    notices = [*([notice] if notice else []), *(text for _, texts in found for text in texts)]
    ceilings = next((item for each in run.processes for item in each.records(Ceilings)[-1:]), None)
    return ProfileReport(
        run,
        tuple(profiles),
        ceilings,
        tuple(profile_notices(run, profiles, ceilings, notices)),
        autotuning=make_autotuning(run.processes, profiles[0].work if profiles else ()),
        all_tuned=all_tuned,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Recorded:
    """What a process has recorded beside its profiles; `run` has that process alone."""

    run: Run
    process: Process
    codes: Sequence[GraphCode]
    fusions: Sequence[Fusion]
    functions: Mapping[str, NodeLine]
    breaks: tuple[str, ...]
    memory: Mapping[int, MemoryProfile]


def _of_process(
    run: Run, process: Process, counted: Sequence[CountedKernel]
) -> tuple[list[Profiled], list[str]]:
    if not process.stored.get(DeviceProfile):
        return [], []
    memory, notices = memory_profiles(process)
    alone = dataclasses.replace(run, processes=(process,))
    breaks = [item for each in alone.compilations for item in each.graph_breaks]
    places = dict.fromkeys((item.user.file, item.user.line) for item in breaks if item.user)
    recorded = _Recorded(
        run=alone,
        process=process,
        codes=make_kernels_report(alone).taken,
        fusions=list(make_graph_report(alone, FUSION).fusions),
        functions={
            str(compilation.compile_id): NodeLine(
                frame.name, frame.file, run.sources.definition_line(frame.file, frame.first_line)
            )
            for frame in process.frames
            for compilation in frame.compilations
            if frame.file and not is_graph_code(frame.file)
            if run.roots.owner(frame.file) is not Owner.TORCH
        },
        breaks=tuple(f"{file.rpartition('/')[2]}:{line}" for file, line in places),
        memory=memory,
    )
    payloads = process.stored[DeviceProfile]
    is_one = len(payloads) == 1
    if not is_one and any(fusion.hints for fusion in recorded.fusions):
        notices.append(_UNSIZED)
    profiles: list[Profiled] = []
    for payload in payloads:
        try:
            profile = recorded_profile(payload)
        except (OSError, ValueError) as error:
            notices.append(f"a profile could not be read: {error}")
            continue
        again = run_again(profile.launches, recorded.codes)
        fusions = with_known_sizes(recorded.fusions, again, is_one_input=is_one)
        if is_one and fusions != recorded.fusions:
            notices.append(_UNSIZED_RUNS)
        budget = make_budget(profile, has_breaks=bool(recorded.breaks))
        shown = of_typical_calls(profile, budget.wall_ns)
        timed = launch_timings(shown, recorded.codes, fusions, recorded.functions)
        launches = [_as_in_source(item, run) for item in timed]
        if counted and not profile.input:
            launches = with_counters(launches, counted)
            notices += uncounted_notices(launches)
        profiles.append(_profiled(profile, budget, launches, recorded))
    if profiles:
        profiles[0] = dataclasses.replace(profiles[0], limited=limit_notice(run))
    return profiles, notices


def _profiled(
    profile: DeviceProfile, budget: Budget, launches: Sequence[LaunchTiming], recorded: _Recorded
) -> Profiled:
    run, process, settings = recorded.run, recorded.process, recorded.run.meta.settings
    l2_bytes = profile.device.get("l2_bytes")
    multiprocessors = profile.device.get("multiprocessors")
    work = kernel_timings(
        launches, process.last(Ceilings), l2_bytes if isinstance(l2_bytes, int) else 0
    )
    memory = None
    allocated = recorded.memory.get(profile.input)
    if allocated is not None:
        code = CodeLines(list(code_of(process, recorded.codes)), launches, run.sources)
        memory = memory_use(allocated, code, recorded.functions)
    states = (item for item in process.records(DeviceState) if item.input == profile.input)
    lines = {(line.file, line.line): line.code for item in launches for line in item.lines}
    texts = {key: text or run.sources.line(*key) or "" for key, text in lines.items()}
    return Profiled(
        profile=profile,
        budget=budget,
        work=tuple(work),
        by_line=time_by(
            launches, lambda part: (part.line.file, part.line.line) if part.line.file else None
        ),
        by_operator=time_by(launches, lambda part: part.name or None),
        by_module=in_groups(time_by(launches, _module_of)),
        code={key: text.strip() for key, text in texts.items() if text},
        gains=tuple(
            gains(
                budget,
                work,
                str(settings.get("mode") or ""),
                is_cpu=profile.is_cpu,
                is_training=profile.is_training,
                has_templates=not isinstance(multiprocessors, int)
                or multiprocessors >= MULTIPROCESSORS_TUNED,
                break_lines=recorded.breaks,
            )
        ),
        state=next(states, None),
        memory=memory,
        graphs=sum(item.graphs for each in process.frames for item in each.compilations),
        breaks=recorded.breaks,
        is_grad_idle=not (settings.get("train") or settings.get("no_grad"))
        and keeps_for_nothing(budget, work),
    )


def _module_of(part: Part) -> tuple[str, str] | None:
    if not part.line.file and not part.line.module:
        return None
    return part.line.module or "(in no submodule)", part.line.module_class


def _as_in_source(item: LaunchTiming, run: Run) -> LaunchTiming:
    """Its place with the line's text; a function's is that of its ``def``, not of a decorator."""
    place = item.place
    if place is None:
        return item
    number = run.sources.definition_line(place.file, place.line)
    text = run.sources.line(place.file, number) or ""
    return dataclasses.replace(
        item, place=dataclasses.replace(place, line=number, code=text.strip())
    )
