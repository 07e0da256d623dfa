"""The roofline of a profile: what each kernel reaches, by the arithmetic that it does per byte.

The model is that of Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance
Model for Multicore Architectures", CACM 52(4), 2009. The ceilings are measured, not a data sheet's.
"""

import dataclasses
import math
from collections.abc import Sequence

from inspector.features.profile.kernel_groups import kernel_groups
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.records.ceilings import Ceilings
from inspector.run.graph import Node, is_view
from inspector.shared.dtypes import find_dtype

_MEMORY = (("l2_bytes_per_s", "L2 cache"), ("copy_bytes_per_s", "memory"))


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    """Equal statements of a call.

    Attributes:
        name: Their name.
        number: Number of statements.
        kind: Kind of work, with the values of ``kind`` in ``KernelTiming``.
        time_ns: Their time in a call.
        share: Of the time of all work.
        flops_per_byte: Operations for each byte that is read or written.
        flops_per_s: Operations per second.
        is_estimate: Whether the operation count is an estimate of one operation per element and
            operator, because torch has no formula for pointwise operators and reductions.
    """

    name: str
    number: int
    kind: str
    time_ns: float
    share: float
    flops_per_byte: float
    flops_per_s: float
    is_estimate: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Roofline:
    """Data for a roofline plot.

    Attributes:
        memory: Bandwidths by name, bytes per second, the fastest first.
        peaks: Peak operations per second by dtype, fastest first, for the dtypes that are used.
        points: Kernels with known bytes and operations, longest first.
    """

    memory: tuple[tuple[str, float], ...]
    peaks: tuple[tuple[str, float], ...]
    points: tuple[Point, ...]


def make_roofline(work: Sequence[KernelTiming], ceilings: Ceilings | None) -> Roofline:
    """Makes the roofline of a call.

    Args:
        ceilings: What the machine can do, or None: then there are points alone.
    """
    values = ceilings.values if ceilings is not None else {}
    whole = sum(item.time_ns for item in work) or 1.0
    points = []
    for row in kernel_groups(work):
        first, number, time_ns = row.first, row.number, row.time_ns
        flops = first.flops or _estimated(first)
        if flops and first.bytes_ and row.median_ns:
            points.append(
                Point(
                    name=first.name,
                    number=number,
                    kind=first.kind,
                    time_ns=time_ns,
                    share=time_ns / whole,
                    flops_per_byte=flops / first.bytes_,
                    flops_per_s=flops * number / row.median_ns * 1e9,
                    is_estimate=not first.flops,
                )
            )
    used = {item.unit for item in work if item.unit} | {"float32"}
    known = {name: values.get(f"{name}_flops_per_s") for name in used}
    peaks = {name: rate for name, rate in known.items() if rate}
    return Roofline(
        memory=tuple((name, values[key]) for key, name in _MEMORY if key in values),
        peaks=tuple(sorted(peaks.items(), key=lambda item: -item[1])),
        points=tuple(points),
    )


def _estimated(work: KernelTiming) -> int:
    """One operation for each element that each operator gives, or, reducing, takes.

    What a reduction takes of memory is known by its bytes alone.
    """
    step = work.launches[0].step
    dtype = find_dtype(work.dtype)
    taken = 0
    if step is not None and step.kind == "reduction" and dtype is not None:
        taken = max(step.reads.values(), default=0) // dtype.size_bytes
    own = [node for node in step.operators if node.name not in step.again] if step else []
    nodes = {node.name: node for node in own}
    given = (
        max(_elements(node), *(_elements(nodes[name]) for name in node.inputs if name in nodes), 0)
        for node in own
        if not is_view(node)
    )
    return max(taken, sum(given))


def _elements(node: Node) -> int:
    """Of the largest tensor that it gives; of one with a symbolic size nothing is known."""
    sizes = [
        math.prod(map(int, tensor.shape))
        for tensor in node.tensors
        if all(isinstance(size, int) for size in tensor.shape)
    ]
    return max(sizes, default=0)
