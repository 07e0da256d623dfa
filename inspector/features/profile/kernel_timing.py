"""Statements of a call with what they move and compute, against what the machine can do."""

import collections
import dataclasses
import enum
import re
import statistics
from collections.abc import Callable, Hashable, Mapping, Sequence

from inspector.features.graph.step_names import short_name
from inspector.features.profile.budget import crosses
from inspector.features.profile.launch_timing import LaunchTiming, runs_of_statements
from inspector.features.profile.reuse import bytes_from_memory
from inspector.features.profile.step_facts import Part, StepFacts, operator_of
from inspector.records.ceilings import Ceilings
from inspector.records.device_profile import KEEPS_GRADIENT
from inspector.run.kernel import GraphCode, NodeLine

_FLOOR_NS = 1_000  # an empty kernel, where it was not measured
_SHORT = 3  # times as long as an empty kernel
_TF32 = ("tf32", "s1688")  # of cuDNN's and cuBLAS's kernels, and of CUTLASS's
_TEMPLATE_TF32 = re.compile(r"ALLOW_TF32\s*:\s*tl\.constexpr\s*=\s*True")
_NEAR = 0.6  # of an empty kernel: what it would take at its ceiling
_COLLECTIVES = ("_c10d_functional", "c10d", "symm_mem")  # torch's operators
_COLLECTIVE_KERNELS = ("nccl", "rccl")
_MOST = 0.5  # of a statement
_LAUNCHED = frozenset({"kernel", "user_kernel", "library"})
# On a CPU, where a clock alone takes a tenth of a microsecond, and ATen to find a function several.
_BRIEF_NS = {"kernel": 1_000, "library": 10_000, "eager": 10_000}
# They compare elements with one another: how fast memory is decides little.
_COMPARING = frozenset({
    "argsort", "bincount", "bucketize", "histc", "kthvalue", "median", "mode", "msort",
    "multinomial", "nanmedian", "nonzero", "quantile", "searchsorted", "sort", "topk", "unique",
    "_unique2", "unique_consecutive", "unique_dim",
})  # fmt: skip
_NO_FACTS = StepFacts((), {}, {}, None, {})
_POSSIBLE = 1.05  # of a ceiling: both were measured, a little above it is noise


class Bound(enum.Enum):
    """What limits a piece of work; the value is how it is called."""

    MEMORY = "memory"
    CACHE = "cache"
    COMPUTE = "compute"
    LATENCY = "launch"
    PROCESSES = "processes"
    UNKNOWN = "unknown"


_LIMITS = {
    Bound.MEMORY: "peak bandwidth",
    Bound.CACHE: "peak L2 bandwidth",
    Bound.COMPUTE: "peak FLOP/s",
}


@dataclasses.dataclass(frozen=True, slots=True)
class KernelTiming:
    """Times of one statement of the generated code, or of one operator outside of it.

    Attributes:
        name: Name of the kernel or library function.
        kind: Kind of work: ``kernel`` (generated), ``user_kernel``, ``library``, ``eager`` (outside
            of compiled graphs), ``copy``, ``loss``, ``wrapper`` or ``unknown``. ``loss`` belongs to
            the loss added by ``--train``. ``wrapper`` is work of torch around a compiled graph,
            such as copying inputs for a CUDA graph.
        launches: Its launches per call, in order.
        times_ns: Its time in each call that the report is about, all launches together.
        bytes_: Bytes that one run reads and writes, or None if unknown.
        flops: Floating-point operations of one run, or None.
        dtype: Dtype of the matrices that it multiplies, otherwise of its outputs, if known.
        lines: User lines that it computes, largest share of the work first.
        operators: ATen operators that it computes, before decompositions.
        memory_bytes: Part of ``bytes`` that cannot come from a cache, which is a lower bound on the
            memory traffic; or None.
        unit: Dtype of its arithmetic; ``tf32`` for ``float32`` operations that use TF32.
        ceiling: Peak of its limiting resource, in bytes or operations per second, or None.
        least_ns: What it would take at that, or None.
        least_by_unit_ns: Of products in float32, the same with TF32 (``tf32``) and in half of the
            bytes with bfloat16 (``bfloat16``), where these were measured.
        bound: The limiting resource.
    """

    name: str
    kind: str
    launches: tuple[LaunchTiming, ...]
    times_ns: tuple[int, ...]
    bytes_: int | None
    flops: int | None
    dtype: str
    lines: tuple[NodeLine, ...]
    operators: tuple[str, ...]
    memory_bytes: int | None = None
    unit: str = ""
    ceiling: float | None = None
    least_ns: float | None = None
    least_by_unit_ns: Mapping[str, float] = dataclasses.field(default_factory=dict)
    bound: Bound = Bound.UNKNOWN

    @property
    def facts(self) -> StepFacts:
        """What is known of its step, or nothing."""
        return self.launches[0].facts or _NO_FACTS

    @property
    def functions(self) -> Mapping[str, float]:
        """Of a generated kernel as `inspector.features.profile.step_facts.StepFacts.functions`."""
        return self.facts.functions if self.kind == "kernel" else {}

    @property
    def is_transcendental_bound(self) -> bool:
        """Whether functions of each element take half of it or more: not bytes limit it."""
        return not self.flops and sum(self.functions.values()) >= _MOST

    @property
    def functionalized_operator(self) -> str:
        """What is done in place that most of it copies whole tensors for, or an empty string."""
        copied = self.facts.functionalization_copies
        return max(copied, key=copied.__getitem__) if sum(copied.values()) >= _MOST else ""

    def is_mostly(self, is_one: Callable[[Part], bool]) -> bool:
        """Whether half of it or more are parts of a kind."""
        parts = self.longest_launch.parts if self.launches else ()
        found = sum(part.share for part in parts if is_one(part))
        return found >= _MOST

    @property
    def median_ns(self) -> float:
        """The median of its times."""
        return statistics.median(self.times_ns) if self.times_ns else 0.0

    @property
    def time_ns(self) -> float:
        """Time per call: the median on a GPU, the mean on the CPU, where the times add up."""
        if not self.times_ns or self.launches[0].launch.kind != "cpu":
            return self.median_ns
        return statistics.fmean(self.times_ns)

    @property
    def is_launch(self) -> bool:
        """Whether it is a kernel or a call of a library; on a GPU all that runs there is one."""
        return self.launches[0].launch.kind != "cpu" or self.kind in _LAUNCHED

    @property
    def is_operator(self) -> bool:
        """Whether it is an operator on the CPU, outside of compiled graphs."""
        is_outside = not self.is_launch and self.kind in {"eager", "unknown"}
        return is_outside and self.name != KEEPS_GRADIENT

    @property
    def code(self) -> GraphCode | None:
        """The generated code that launches it; None outside of compiled graphs."""
        return self.launches[0].code

    @property
    def p5_ns(self) -> float:
        """The 5th percentile of its times."""
        return percentile(self.times_ns, 0.05)

    @property
    def p95_ns(self) -> float:
        """The 95th percentile of its times."""
        return percentile(self.times_ns, 0.95)

    @property
    def bytes_per_s(self) -> float | None:
        """Bytes per second that it reaches."""
        return _per_second(self.bytes_, self.median_ns)

    @property
    def flops_per_s(self) -> float | None:
        """Operations per second that it reaches."""
        return _per_second(self.flops, self.median_ns)

    @property
    def share_of_ceiling(self) -> float | None:
        """Share of its limiting peak that it reaches, or None if unknown."""
        return self.least_ns / self.median_ns if self.least_ns and self.median_ns else None

    @property
    def is_possible(self) -> bool:
        """Whether it reaches what the machine can do at most: else its bytes are not what moves."""
        return is_possible(self.share_of_ceiling)

    @property
    def longest_launch(self) -> LaunchTiming:
        """The launch that takes longest."""
        return max(self.launches, key=lambda item: item.median_ns)

    @property
    def modules(self) -> tuple[str, ...]:
        """Paths of the modules of its source lines, or of its nodes if it has no lines."""
        lines = self.lines or [part.line for part in self.longest_launch.parts]
        return tuple(dict.fromkeys(line.module for line in lines if line.module))


def percentile(times_ns: Sequence[int], part: float) -> float:
    """The one of some times that so many of them are shorter than; 0 of none."""
    ordered = sorted(times_ns)
    return float(ordered[round((len(ordered) - 1) * part)]) if ordered else 0.0


def limit_of(work: KernelTiming) -> str:
    """How that of the machine is called which limits work; empty where nothing is known to."""
    return _LIMITS.get(work.bound, "")


def is_possible(share_of_ceiling: float | None) -> bool:
    """Whether a machine can do so much of what it can do at most, as far as that is known."""
    return share_of_ceiling is None or share_of_ceiling <= _POSSIBLE


def kernel_timings(
    launches: Sequence[LaunchTiming], ceilings: Ceilings | None, l2_bytes: int
) -> list[KernelTiming]:
    """The statements of a call, in order."""
    values = ceilings.values if ceilings is not None else {}
    found = [_work(group) for group in runs_of_statements(launches)]
    return [
        _held_against(dataclasses.replace(item, memory_bytes=bytes_), values)
        for item, bytes_ in zip(found, _from_memory(found, l2_bytes), strict=True)
    ]


def _from_memory(work: Sequence[KernelTiming], l2_bytes: int) -> list[int | None]:
    if not l2_bytes:  # in a damaged recording, say: nothing is known of caches
        return [item.bytes_ for item in work]
    # Half of it may belong to the other half of the chip.
    missed = bytes_from_memory([_buffers(item) for item in work], l2_bytes // 2)
    return [
        None if item.bytes_ is None else min(bytes_, item.bytes_)
        for item, bytes_ in zip(work, missed, strict=True)
    ]


def _buffers(work: KernelTiming) -> Mapping[Hashable, int]:
    """What a statement moves, by buffer; one that it reads and writes counts twice."""
    first = work.launches[0]
    if first.facts is None:
        return {(id(work), "all"): work.bytes_} if work.bytes_ else {}
    sizes: collections.Counter[Hashable] = collections.Counter()
    for part in (first.facts.reads, first.facts.writes):
        for name, size in part.items():
            sizes[id(first.code), name] += size
    return sizes


def _work(group: Sequence[LaunchTiming]) -> KernelTiming:
    first = group[0]
    times = [sum(parts) for parts in zip(*(item.times_ns for item in group), strict=True)]
    step, facts, call = first.step, first.facts, first.call
    copied = [item.launch.copied_bytes for item in group]
    bytes_ = facts.bytes_ if facts is not None else None
    if bytes_ is None and first.launch.kind in {"memcpy", "memset"} and None not in copied:
        is_within = first.launch.kind == "memcpy" and not crosses(first.launch)
        bytes_ = sum(size or 0 for size in copied) * (2 if is_within else 1)
    names = [operator_of(node) for node in step.operators] if step is not None else []
    if step is not None and step.kind == "user_kernel":
        names = [step.name]
    if not names and first.launch.place.operator:
        names = [first.launch.place.operator.replace("::", ".")]
    return KernelTiming(
        name=call.name if call is not None else first.name,
        kind=_kind(first),
        launches=tuple(group),
        times_ns=tuple(times),
        bytes_=bytes_,
        flops=step.flops if step is not None else None,
        dtype=facts.dtype if facts is not None else "",
        lines=first.lines,
        operators=tuple(dict.fromkeys(map(short_name, names))),
    )


def _kind(item: LaunchTiming) -> str:
    if item.step is not None and item.step.kind == "user_kernel":
        return "user_kernel"
    if item.launch.place.is_loss:
        return "loss"
    if item.call is not None:
        return "kernel" if item.call.kind == "kernel" else "library"
    if item.launch.kind in {"memcpy", "memset"}:
        return "copy"
    if item.is_around or (item.launch.kind == "cpu" and not item.launch.name):
        return "wrapper"
    return "eager" if item.launch.place.operator or item.place is not None else "unknown"


def _held_against(work: KernelTiming, values: Mapping[str, float]) -> KernelTiming:
    """Says what limits it: that at whose ceiling it would take longest."""
    if _is_communication(work):
        return dataclasses.replace(work, bound=Bound.PROCESSES, unit=work.dtype)
    is_of_host = work.kind == "copy" and crosses(work.launches[0].launch)
    memory = values.get("host_to_device_bytes_per_s" if is_of_host else "copy_bytes_per_s")
    cache = values.get("l2_bytes_per_s")
    names = " ".join(item.launch.name for item in work.launches)
    source = "".join(
        kernel.source
        for item in work.launches[:1]
        if item.code is not None and work.kind == "kernel"
        for kernel in item.code.kernels
        if kernel.name == work.name
    )
    is_tf32 = any(mark in names for mark in _TF32) or bool(_TEMPLATE_TF32.search(source))
    unit = "tf32" if work.dtype == "float32" and is_tf32 else work.dtype
    compute = values.get(f"{unit}_flops_per_s")
    on_device = work.launches[0].launch.kind != "cpu"
    limits = [
        (Bound.COMPUTE, work.flops, compute),
        (Bound.MEMORY, work.memory_bytes, memory),
        (Bound.CACHE, work.bytes_, cache),
    ]
    is_comparing = work.operators and _COMPARING.issuperset(work.operators)
    # Of what it computes only one half is known, the amount or what the machine can do of it:
    # memory is no more than one of the two things that may limit it.
    step = work.launches[0].step
    is_product = step is not None and step.kind == "template"
    is_unknown = not compute if work.flops else is_product
    if work.kind != "copy" and (work.is_transcendental_bound or is_comparing or is_unknown):
        limits = []
    times = [
        (amount / rate * 1e9, bound, rate) for bound, amount, rate in limits if amount and rate
    ]
    work = dataclasses.replace(work, unit=unit)
    if not times or (not on_device and work.median_ns < _BRIEF_NS.get(work.kind, 0)):
        return work
    least_ns, bound, ceiling = max(times, key=lambda item: item[0])
    floor_ns = values.get("kernel_floor_ns", _FLOOR_NS)
    is_short = work.median_ns < _SHORT * floor_ns * len(work.launches)
    if on_device and is_short and least_ns < _NEAR * floor_ns:
        bound = Bound.LATENCY
    return dataclasses.replace(
        work,
        ceiling=ceiling,
        least_ns=least_ns,
        bound=bound,
        least_by_unit_ns=_by_unit(work, values) if unit == "float32" and work.flops else {},
    )


def _is_communication(work: KernelTiming) -> bool:
    """Whether it moves data between processes, and waits for them: no ceiling holds for that."""
    if work.kind in {"kernel", "user_kernel", "copy"}:
        return False
    if any(item.launch.name.startswith(_COLLECTIVE_KERNELS) for item in work.launches):
        return True
    operator = work.name if work.kind == "library" else work.launches[0].launch.place.operator
    return operator.replace("::", ".").partition(".")[0] in _COLLECTIVES


def _by_unit(work: KernelTiming, values: Mapping[str, float]) -> Mapping[str, float]:
    """What a product in float32 would take with other arithmetic, at the ceilings."""
    found: dict[str, float] = {}
    memory = values.get("copy_bytes_per_s")
    cache = values.get("l2_bytes_per_s")
    for unit, part in (("tf32", 1.0), ("bfloat16", 0.5)):
        rate = values.get(f"{unit}_flops_per_s")
        if not rate or not work.flops:
            continue
        times = [work.flops / rate]
        times += [part * (work.memory_bytes or 0) / memory] if memory else []
        times += [part * (work.bytes_ or 0) / cache] if cache else []
        found[unit] = max(times) * 1e9
    return found


def _per_second(amount: int | None, time_ns: float) -> float | None:
    return amount / time_ns * 1e9 if amount and time_ns else None
