"""Whether a kernel takes a part of a tensor, or puts it into a larger one, as the program says.

How many elements loops go over does not tell: those of a reduction in two parts are rounded up, a
pooling goes over its results, and a repetition over the same elements again.
"""

from __future__ import annotations

from inspector.graphs.fusion import Fusion, Step
from inspector.graphs.targets import aten_name
from inspector.records.fusion import Buffer, Operation

_SLICES = frozenset([
    "chunk", "narrow", "select", "slice", "split", "split_with_sizes", "unbind", "unsafe_chunk",
    "unsafe_split", "unsafe_split_with_sizes",
])  # fmt: skip
_LARGER = frozenset(["cat", "constant_pad_nd", "stack"])


def is_sliced(fusion: Fusion, step: Step, buffer: Buffer) -> bool:
    """Whether a step takes a slice of a tensor, or of what it computes of it."""
    return _is_done(fusion, step, buffer, _SLICES)


def is_put_into_larger(fusion: Fusion, step: Step, buffer: Buffer) -> bool:
    """Whether a step concatenates or pads a tensor, or what it computes of it."""
    return _is_done(fusion, step, buffer, _LARGER)


def _is_done(fusion: Fusion, step: Step, buffer: Buffer, targets: frozenset[str]) -> bool:
    source = buffer.origin or buffer.name
    return any(
        _is_done_by(fusion, operation, source, targets)
        for operation in fusion.operations_of(step)
        if buffer.name in operation.reads
    )


def _is_done_by(fusion: Fusion, operation: Operation, source: str, targets: frozenset[str]) -> bool:
    """Whether one of some operators lies between a tensor and what an operation makes of it.

    Of a split Inductor names the part that is taken, and not always the operator.
    """
    inner = set(operation.origins)
    depend, done = {source}, set[str]()
    for node in fusion.graph.nodes:
        target = aten_name(node.target)
        if depend.isdisjoint(node.inputs) or not (node.name in inner or target in _SLICES):
            continue
        depend.add(node.name)
        if target in targets or not done.isdisjoint(node.inputs):
            done.add(node.name)
    return not done.isdisjoint(inner)
