"""Our artifact about what Inductor's scheduler fused, and what it did not."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.events.fields import items, mappings, natural, number_or_symbol
from inspector.events.kept import KeptPayload
from inspector.events.payload import Payload


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorFusion(KeptPayload):
    """``inspector_fusion``: one graph's, which stays in the log."""


@dataclasses.dataclass(frozen=True, slots=True)
class Buffer:
    """A tensor in memory, or one that would have been in memory.

    Attributes:
        name: Inductor's name of it (``buf3``, ``primals_1``).
        kind: ``input``, ``constant``, ``output`` or ``intermediate``.
        is_removed: Whether it never reaches memory.
        dtype: ``float32``, …, or an empty string (several outputs, say).
        shape: Its sizes; a size that changes is a symbol's name.
        stride: Its strides likewise.
        device: ``cuda:0``, …, or an empty string.
        origin: The node of the post-grad graph that it is, or an empty string.
        whole: The buffer that it is a part of: what is concatenated is written to its place. Empty
            where it is one of its own.
        changes: The buffer that it is after a change in place, or an empty string.
    """

    name: str
    kind: str
    is_removed: bool = False
    dtype: str = ""
    shape: tuple[int | str, ...] = ()
    stride: tuple[int | str, ...] = ()
    device: str = ""
    origin: str = ""
    whole: str = ""
    changes: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """A node of the scheduler before fusion.

    Attributes:
        name: Inductor's name of it (``op3``).
        kind: ``pointwise``, ``reduction``, ``extern`` (cuBLAS, cuDNN, MKL), ``fallback`` (an ATen
            kernel), ``template``, ``user_kernel``, ``foreach``, ``output`` (one of the values that
            a call gives, which costs nothing) or ``nop``.
        origins: The nodes of the post-grad graph that it computes. Of a call of a library, also
            those that compute its inputs.
        origin: The one node whose value it gives, or an empty string.
        target: What is called, of a call of a library.
        sizes: Sizes of its loops: those over elements, and those of the reduction.
        mutates: Buffers that it writes in place.
        device: Where it runs.
        reads: Bytes by buffer.
        writes: Bytes by buffer.
        bytes_: Bytes that it reads and writes if it stands alone, or None where a size is unknown.
    """

    name: str
    kind: str
    origins: tuple[str, ...] = ()
    origin: str = ""
    target: str = ""
    sizes: tuple[tuple[str, ...], ...] = ()
    mutates: tuple[str, ...] = ()
    device: str = ""
    reads: Mapping[str, int] = dataclasses.field(default_factory=dict)
    writes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    bytes_: int | None = None

    @property
    def is_call(self) -> bool:
        """Whether it is a call of a library, which nothing can be fused into."""
        return self.kind in {"extern", "fallback", "user_kernel"}


@dataclasses.dataclass(frozen=True, slots=True)
class Launch:
    """What became one step of the generated code.

    Attributes:
        operations: Names of the operations in it.
        kind: As `Operation.kind`; of a fused one, that of the whole.
        kernel: Name of the generated kernel, or an empty string (a library, or nothing to do).
        number: Which definition of a kernel it is: in C++ several share one. None without a kernel.
        reads: Bytes by buffer.
        writes: Bytes by buffer.
        bytes_: Bytes that it reads and writes, or None where a size is unknown.
        target: What is called, of a call of a library.
        reached_reads: Bytes of the buffers of which it reads something else than Inductor counts;
            None in recordings of before.
        reached_writes: Bytes of those that it writes so.
    """

    operations: tuple[str, ...]
    kind: str
    kernel: str = ""
    number: int | None = None
    reads: Mapping[str, int] = dataclasses.field(default_factory=dict)
    writes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    bytes_: int | None = None
    target: str = ""
    reached_reads: Mapping[str, int] | None = None
    reached_writes: Mapping[str, int] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Uses:
    """How two launches use a buffer.

    Attributes:
        buffer: Its name.
        kind: ``same``, ``order`` (the same elements in another order), ``broadcast``, ``offset``,
            ``index``, ``part`` (another number of elements), ``gather`` or ``whole``.
        first: What the first does: an index with its loops, an offset, or a number of elements.
        second: What the second does.
        common: Elements that both use, at most, or None where that is not known.
    """

    buffer: str
    kind: str
    first: str
    second: str
    common: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Apart:
    """Two launches with a buffer in common that were not fused.

    Attributes:
        first: Place in `FusionPlan.launches` of what torch calls node1.
        second: Place of what it calls node2.
        reason: Torch's reason, with ``%s`` for its arguments.
        arguments: The arguments, as texts.
        uses: How they use what they share.
    """

    first: int
    second: int
    reason: str
    arguments: tuple[str, ...] = ()
    uses: tuple[Uses, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class FusionPlan:
    """What the scheduler did with one graph.

    Attributes:
        name: Inductor's name of the graph, or an empty string.
        direction: ``inference``, ``forward`` or ``backward``.
        operations: Before fusion, in order.
        launches: After it, in order.
        buffers: By name.
        apart: Why pairs were kept apart, where torch said it.
    """

    name: str
    direction: str
    operations: tuple[Operation, ...]
    launches: tuple[Launch, ...]
    buffers: Mapping[str, Buffer]
    apart: tuple[Apart, ...]


def fusion_plan(payload: Payload) -> FusionPlan:
    """Reads what was fused.

    Raises:
        OSError: The log is gone.
        ValueError: It is no JSON (cut off, say).
    """
    found = payload.json()
    fields: Mapping[str, object] = found if isinstance(found, dict) else {}
    buffers = [_buffer(item) for item in mappings(fields.get("buffers"))]
    return FusionPlan(
        name=str(fields.get("graph") or ""),
        direction=str(fields.get("direction") or ""),
        operations=tuple(map(_operation, mappings(fields.get("operations")))),
        launches=tuple(map(_launch, mappings(fields.get("groups")))),
        buffers={buffer.name: buffer for buffer in buffers},
        apart=tuple(map(_apart, mappings(fields.get("apart")))),
    )


def _buffer(fields: Mapping[str, object]) -> Buffer:
    name, kind, dtype, device, origin, whole, changes = _texts(
        fields, "name", "kind", "dtype", "device", "origin", "whole", "changes"
    )
    shape, stride = (
        tuple(map(number_or_symbol, items(fields.get(key)))) for key in ("shape", "stride")
    )
    is_removed = bool(fields.get("removed"))
    return Buffer(name, kind, is_removed, dtype, shape, stride, device, origin, whole, changes)


def _operation(fields: Mapping[str, object]) -> Operation:
    name, kind, origin, target, device = _texts(
        fields, "name", "kind", "origin", "target", "device"
    )
    return Operation(
        name=name,
        kind=kind,
        origins=_names(fields.get("origins")),
        origin=origin,
        target=target,
        sizes=tuple(map(_names, items(fields.get("sizes")))),
        mutates=_names(fields.get("mutates")),
        device=device,
        reads=_bytes(fields.get("reads")),
        writes=_bytes(fields.get("writes")),
        bytes_=natural(fields.get("bytes")),
    )


def _launch(fields: Mapping[str, object]) -> Launch:
    kind, kernel, target = _texts(fields, "kind", "kernel", "target")
    reached = fields.get("reached")
    reaches: Mapping[str, object] = reached if isinstance(reached, dict) else {}
    return Launch(
        operations=_names(fields.get("nodes")),
        kind=kind,
        kernel=kernel,
        target=target,
        number=natural(fields.get("launch")),
        reads=_bytes(fields.get("reads")),
        writes=_bytes(fields.get("writes")),
        bytes_=natural(fields.get("bytes")),
        reached_reads=_bytes(reaches["reads"]) if "reads" in reaches else None,
        reached_writes=_bytes(reaches["writes"]) if "writes" in reaches else None,
    )


def _apart(fields: Mapping[str, object]) -> Apart:
    first, second = (natural(fields.get(key)) for key in ("first", "second"))
    if first is None or second is None:
        message = "a pair that was not fused has no places"
        raise ValueError(message)
    uses = map(_uses, mappings(fields.get("uses")))
    reason, arguments = str(fields.get("reason") or ""), _names(fields.get("arguments"))
    return Apart(first, second, reason, arguments, tuple(uses))


def _uses(fields: Mapping[str, object]) -> Uses:
    buffer, kind, first, second = _texts(fields, "buffer", "kind", "first", "second")
    return Uses(buffer, kind, first, second, natural(fields.get("common")))


def _texts(fields: Mapping[str, object], *keys: str) -> tuple[str, ...]:
    return tuple(str(fields.get(key) or "") for key in keys)


def _names(value: object) -> tuple[str, ...]:
    return tuple(map(str, items(value)))


def _bytes(value: object) -> Mapping[str, int]:
    found = value if isinstance(value, dict) else {}
    return {str(name): natural(size) or 0 for name, size in found.items()}
