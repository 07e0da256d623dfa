"""Statements of a call with what they move and compute, against what the machine can do."""

from __future__ import annotations

import collections
import dataclasses
import enum
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.events.device_profile import InspectorCeilings
from inspector.graphs.step_names import short_name
from inspector.model.kernel import NodeLine
from inspector.profiles.timed import TimedLaunch

__all__ = ["Bound", "Work", "all_work"]

_LIBRARY_DTYPES = {"float32", "float16", "bfloat16", "int8"}
_LATENCY_NS = 3_000  # a launch on a modern GPU takes 1 to 2 µs whatever it does
_TF32 = ("tf32", "s1688")  # of cuDNN's and cuBLAS's kernels, and of CUTLASS's
_NEAR = 0.6  # of a ceiling: what is left to gain is little


class Bound(enum.Enum):
    """What limits a piece of work; the value is how it is called."""

    MEMORY = "memory"
    COMPUTE = "compute"
    LATENCY = "launch"
    NEITHER = "neither"
    UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True, slots=True)
class Work:
    """One statement of the generated code (or an operator outside of it), each time it runs.

    Attributes:
        name: The kernel's name, or the function's of a library.
        kind: ``kernel`` (generated), ``user_kernel``, ``library``, ``eager`` (outside of compiled
            graphs), ``copy``, ``loss`` (what ``--train`` adds up), or ``unknown`` (nothing says
            where it comes from).
        launches: What it launches in a call, in order.
        times_ns: Its time in each call, all launches together.
        bytes_: Bytes that one run reads and writes, as Inductor counts them, or None.
        flops: Floating-point operations of one run, or None.
        dtype: Of its results, or an empty string.
        lines: The user's lines that it computes.
        operators: ATen operators that it computes, before decompositions.
        unit: The dtype whose arithmetic it uses: ``tf32`` for some of ``float32``.
        ceiling: What it could reach of what limits it: bytes or operations per second, or None.
        bound: What limits it.
    """

    name: str
    kind: str
    launches: tuple[TimedLaunch, ...]
    times_ns: tuple[int, ...]
    bytes_: int | None
    flops: int | None
    dtype: str
    lines: tuple[NodeLine, ...]
    operators: tuple[str, ...]
    unit: str = ""
    ceiling: float | None = None
    bound: Bound = Bound.UNKNOWN

    @property
    def median_ns(self) -> float:
        """The median of its times."""
        return statistics.median(self.times_ns) if self.times_ns else 0.0

    @property
    def spread_ns(self) -> tuple[float, float]:
        """The 5th and the 95th percentile of its times."""
        ordered = sorted(self.times_ns)
        if not ordered:
            return 0.0, 0.0
        last = len(ordered) - 1
        return float(ordered[round(last * 0.05)]), float(ordered[round(last * 0.95)])

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
        """How much of what limits it, it reaches; None where that is not known."""
        reached = self.flops_per_s if self.bound is Bound.COMPUTE else self.bytes_per_s
        return reached / self.ceiling if reached and self.ceiling else None

    @property
    def ideal_ns(self) -> float | None:
        """What it would take at its ceiling."""
        share = self.share_of_ceiling
        return self.median_ns * share if share is not None and share < 1 else None

    @property
    def main(self) -> TimedLaunch:
        """The launch that takes longest."""
        return max(self.launches, key=lambda item: item.median_ns)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that its lines are in."""
        return tuple(dict.fromkeys(line.module for line in self.lines if line.module))


def all_work(
    launches: Sequence[TimedLaunch], ceilings: InspectorCeilings | None, l2_bytes: int
) -> list[Work]:
    """The statements of a call, in order.

    Args:
        launches: The launches.
        ceilings: What the machine can do, or None.
        l2_bytes: Size of the last cache, or 0: what fits into it is held against its bandwidth.
    """
    values = ceilings.values if ceilings is not None else {}
    return [_held_against(_work(group), values, l2_bytes) for group in _groups(launches)]


def _groups(launches: Iterable[TimedLaunch]) -> Iterator[list[TimedLaunch]]:
    """Launches of one statement that stand together: a library may need several."""
    group: list[TimedLaunch] = []
    for item in launches:
        if group and (item.call is None or item.call is not group[-1].call):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _work(group: Sequence[TimedLaunch]) -> Work:
    first = group[0]
    times = [sum(parts) for parts in zip(*(item.times_ns for item in group), strict=True)]
    step, call = first.step, first.call
    copied = [item.launch.copied_bytes for item in group]
    bytes_ = step.bytes_ if step is not None else None
    if bytes_ is None and first.launch.kind in {"memcpy", "memset"} and None not in copied:
        bytes_ = sum(size or 0 for size in copied) * (2 if first.launch.kind == "memcpy" else 1)
    names = [node.aten or node.target for node in step.operators] if step is not None else []
    if not names and first.launch.place.operator:
        names = [first.launch.place.operator.replace("::", ".")]
    return Work(
        name=call.name if call is not None else first.launch.name,
        kind=_kind(first),
        launches=tuple(group),
        times_ns=tuple(times),
        bytes_=bytes_,
        flops=step.flops if step is not None else None,
        dtype=_dtype(first),
        lines=first.lines,
        operators=tuple(dict.fromkeys(map(short_name, names))),
    )


def _kind(item: TimedLaunch) -> str:
    if item.step is not None and item.step.kind == "user_kernel":
        return "user_kernel"
    if item.launch.place.is_loss:
        return "loss"
    if item.call is not None:
        return "kernel" if item.call.kind == "kernel" else "library"
    if item.launch.kind in {"memcpy", "memset"}:
        return "copy"
    return "eager" if item.launch.place.operator or item.place is not None else "unknown"


def _dtype(item: TimedLaunch) -> str:
    nodes = item.step.operators if item.step is not None else ()
    dtypes = [tensor.dtype for node in nodes for tensor in node.tensors]
    found = collections.Counter(dtype for dtype in dtypes if dtype in _LIBRARY_DTYPES)
    return found.most_common(1)[0][0] if found else ""


def _held_against(work: Work, values: Mapping[str, float], l2_bytes: int) -> Work:
    """Says what limits it, by the ceiling at which it would take longer."""
    in_cache = work.bytes_ is not None and work.bytes_ <= l2_bytes // 2
    memory = values.get("l2_bytes_per_s" if in_cache else "copy_bytes_per_s")
    memory = memory or values.get("copy_bytes_per_s")
    unit = _unit(work)
    compute = values.get(f"{unit}_flops_per_s")
    by_memory = work.bytes_ / memory if work.bytes_ and memory else 0.0
    by_compute = work.flops / compute if work.flops and compute else 0.0
    if not by_memory and not by_compute:
        return work
    ideal_ns = max(by_memory, by_compute) * 1e9
    on_device = work.launches[0].launch.kind != "cpu"
    if on_device and work.median_ns < _LATENCY_NS * len(work.launches) and ideal_ns < _NEAR * 1e3:
        bound = Bound.LATENCY
    else:
        bound = Bound.COMPUTE if by_compute > by_memory else Bound.MEMORY
    ceiling = compute if by_compute > by_memory else memory
    return dataclasses.replace(work, unit=unit, ceiling=ceiling, bound=bound)


def _unit(work: Work) -> str:
    """The dtype whose ceiling counts: libraries say in their kernels' names that they use TF32."""
    names = " ".join(item.launch.name for item in work.launches)
    return (
        "tf32" if work.dtype == "float32" and ("tf32" in names or "s1688" in names) else work.dtype
    )


def _per_second(amount: int | None, time_ns: float) -> float | None:
    return amount / time_ns * 1e9 if amount and time_ns else None
