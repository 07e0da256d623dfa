"""A report on profiles as JSON."""

import dataclasses
from collections.abc import Mapping

from inspector.features.profile.autotune_wording import autotune_advice
from inspector.features.profile.autotuned import NOISE, Autotuning, Tuned
from inspector.features.profile.ceiling_wording import held_back
from inspector.features.profile.gain import Gain
from inspector.features.profile.gains.library_gains import exposed_ns
from inspector.features.profile.kernel_timing import Bound, KernelTiming
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.memory.memory import (
    CallMemory,
    MemoryAdvice,
    MemoryUse,
    PeakTensor,
    memory_advice,
)
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.report import FORMAT_VERSION, ProfileReport
from inspector.features.profile.roofline import Point, Roofline, make_roofline
from inspector.features.profile.slowdown import Slowdown, SlowdownPart
from inspector.records.autotuning import TriedCandidate
from inspector.records.ceilings import Ceilings, DeviceState
from inspector.records.device_profile import TimedBlock
from inspector.report.json.common import COMMON, versions
from inspector.report.json.encode import Scope, View, Views, tool_version


@dataclasses.dataclass(frozen=True, slots=True)
class _LineTime:
    """Time per call of one user line."""

    file: str
    line: int
    time_ns: float


def _arguments(scope: Scope) -> list[dict[str, object]]:
    """Each argument: dtype and size of a tensor, or the value of a number."""
    return [
        {"value": item.value} if not item.dtype else {"dtype": item.dtype, "size": item.size}
        for item in scope.of(Profiled).profile.arguments
    ]


def _faster(scope: Scope) -> float | None:
    """Eager time divided by compiled time."""
    faster = scope.of(Profiled).budget.faster
    return None if faster is None else faster[1]


def _faster_interval(scope: Scope) -> list[float] | None:
    """Lower and upper bound of the 95 % confidence interval of ``faster_than_eager``."""
    faster = scope.of(Profiled).budget.faster
    return None if faster is None else [faster[0], faster[2]]


def _stable(scope: Scope) -> bool | None:
    """Whether blocks of the same calls take the same time; null if it is not known."""
    budget = scope.of(Profiled).budget
    return None if budget.spread is None else budget.is_stable


def _kind(scope: Scope) -> str:
    """``compiled`` or ``eager``."""
    kind = scope.of(TimedBlock).kind
    return "compiled" if kind == "plain" else kind


def _outside(scope: Scope) -> float | None:
    """On the CPU, the time of a call that no statement accounts for; null on a GPU."""
    found = scope.of(Profiled)
    return found.outside_ns if found.is_cpu else None


def _operators_outside(scope: Scope) -> int | None:
    """Number of operators per call outside of compiled graphs on the CPU; null on a GPU."""
    found = scope.of(Profiled)
    return found.operators if found.is_cpu else None


def _lines(scope: Scope) -> list[_LineTime]:
    """Time per call by user line, largest first."""
    return [_LineTime(*place, time_ns) for place, time_ns in scope.of(Profiled).by_line.items()]


def _roofline(scope: Scope) -> Roofline:
    """Roofline data: achieved operations per second and arithmetic intensity of each kernel."""
    return make_roofline(scope.of(Profiled).work, scope.of(ProfileReport).ceilings)


def _held_back(scope: Scope) -> Mapping[str, float]:
    """Throttle reasons with the share of time for which each was active."""
    return held_back(scope.of(DeviceState))


def _advice(scope: Scope) -> list[str]:
    """Suggested changes; empty if none is worthwhile."""
    return list(autotune_advice(scope.of(Autotuning)))


def _savings(scope: Scope) -> list[MemoryAdvice]:
    """Possible savings, largest first."""
    return memory_advice(scope.of(MemoryUse))


def _shape(scope: Scope) -> tuple[int, ...] | None:
    """The shape of each, if it is known."""
    tensor = scope.of(PeakTensor)
    return tensor.shape if tensor.dtype or tensor.shape else None


def _exposed_ns(scope: Scope) -> float | None:
    """Time per call of a collective in which nothing else runs; null for other work."""
    work = scope.of(KernelTiming)
    if work.bound is not Bound.PROCESSES:
        return None
    return exposed_ns(scope.of(Profiled).work, [work])


VIEWS: Views = {
    **COMMON,
    ProfileReport: View(
        """format_version kind tool_version recording=run.meta:recording versions profiles ceilings
        autotuning notices""",
        format_version=FORMAT_VERSION,
        kind="profile",
        tool_version=tool_version,
        versions=versions,
    ),
    Ceilings: View(
        "device measured_at_s cached=is_cached values unstable missing others_percent took_ns?"
    ),
    Profiled: View(
        """input=profile.input device=profile.device arguments wall_ns=budget.wall_ns
        calls=budget.calls watched_ns=budget.watched_ns
        shown_ns=budget.shown_ns profiler_slowdown=budget.slowdown
        eager_ns=budget.eager_ns eager_busy_ns=budget.eager_busy_ns
        eager_launches=budget.eager_launches faster_than_eager faster_than_eager_interval
        spread_of_blocks=budget.spread stable blocks=profile.timed_blocks failed=profile.error
        busy_ns=budget.busy_ns busy_by_device_ns=budget.busy_by_device_ns
        host_copies_ns=budget.host_copies_ns outside_statements_ns
        launches_unmatched=profile.unmatched idle_ns=budget.idle_ns
        idle_by_cause_ns=budget.causes_ns compiled_less_eager=slowdown launches
        operators_outside memory attributed work lines operators=by_operator
        modules=by_module device_state=state roofline gains""",
        arguments=_arguments,
        faster_than_eager=_faster,
        faster_than_eager_interval=_faster_interval,
        stable=_stable,
        outside_statements_ns=_outside,
        operators_outside=_operators_outside,
        lines=_lines,
        roofline=_roofline,
    ),
    TimedBlock: View("kind round times_ns", kind=_kind),
    Slowdown: View("whole_ns parts rest_ns"),
    SlowdownPart: View("cause compiled_ns eager_ns more_ns"),
    KernelTiming: View(
        """name kind time_ns median_ns p5_ns p95_ns operators dtype? arithmetic=unit? bytes=bytes_
        bytes_from_memory=memory_bytes flops bytes_per_s flops_per_s bound ceiling_per_s=ceiling
        share_of_ceiling exposed_ns modules lines:line compile_id=code.compile_id
        direction=code.direction launches""",
        exposed_ns=_exposed_ns,
    ),
    LaunchTiming: View(
        """name=launch.name? kind=launch.kind median_ns device=launch.device stream=launch.stream
        grid=launch.grid block=launch.block registers=launch.registers
        shared_bytes=launch.shared_bytes copied_bytes=launch.copied_bytes
        cuda_graph=launch.is_replayed counters"""
    ),
    DeviceState: View(
        "before after elapsed_ns slowed_by missing? others_percent", slowed_by=_held_back
    ),
    Roofline: View("bytes_per_s=memory{} flops_per_s=peaks{} points"),
    Point: View(
        """name count=number kind time_ns flops_per_byte flops_per_s
        flops_estimated=is_estimate"""
    ),
    Gain: View("at_most_ns=time_ns because=what change hidden_by_host=is_hidden known=is_known"),
    MemoryUse: View(
        """ratio compiled eager cuda_graphs_reserved_bytes=pool_reserved_bytes other_devices
        savings""",
        savings=_savings,
    ),
    MemoryAdvice: View("at_most_bytes=bytes_ because=what change"),
    CallMemory: View(
        """peak_bytes peak_known=is_whole before_bytes=base_bytes added_bytes
        cuda_graphs_bytes=pool_bytes not_counted_bytes=outside_bytes not_seen_bytes=unseen_bytes
        reserved_bytes reserved_at_peak_bytes free_bytes retries out_of_memory=ooms error=failed?
        events_left_out=cut at_peak=tensors curve"""
    ),
    PeakTensor: View(
        "what name? count=number bytes=bytes_ shape dtype? cuda_graph=in_pool lines:line",
        shape=_shape,
    ),
    Autotuning: View(
        """compile_time_ns spent_ns outside_ns kernels_from_cache=cached
        saved_per_call_estimated_ns=saved_ns noise advice tuned""",
        noise=NOISE,
        advice=_advice,
    ),
    Tuned: View(
        """kind=first.kind name=first.name how=first.how error=first.error?
        compile_id=first.compile_id? backward=first.is_backward node=first.node?
        operator=first.target? inputs=first.inputs output=first.output heuristic=first.heuristic?
        file=first.file? line=first.line? places spent_ns outside_of_graphs=first.is_outside
        chosen=first.chosen default=first.default margin gain_over_default=gain launches
        in_place_ns lines:line candidates_total=total
        candidates=first.candidates"""
    ),
    TriedCandidate: View(
        "name? configuration=text? kind time_ns failed? spent_ns step? registers spills"
    ),
}
