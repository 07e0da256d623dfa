"""Our artifact about a Triton kernel: its arguments, and what Inductor estimates of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mappings, natural


@dataclasses.dataclass(frozen=True, slots=True)
class KernelArgument:
    """What a kernel gets for one of its parameters.

    Attributes:
        name: The parameter.
        kind: Inductor's name of it: ``TensorArg``, ``SizeArg``, ``WorkspaceArg``, ….
        buffer: Of a tensor, the buffer's name; several parameters can have the same.
        dtype: Its dtype as torch writes it (``torch.float32``), or an empty string.
        size: Its sizes; of those that change, what they were when the graph was compiled.
        stride: Its strides, likewise.
        is_read: Whether the kernel gets values in it.
        is_written: Whether it gives values in it.
        reads: The node of the post-grad graph whose value it gets; None where no node has it.
        writes: The node whose value it gives, likewise.
        value: Of a size, its value; of a workspace, its elements.
        zero: Whether a workspace begins with zeros.
    """

    name: str
    kind: str
    buffer: str = ""
    dtype: str = ""
    size: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    is_read: bool = False
    is_written: bool = False
    reads: str | None = None
    writes: str | None = None
    value: int | None = None
    zero: bool = False

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> Self:
        """Reads one argument; what is missing or of another type is left out."""
        named = {key: str(fields.get(key) or "") for key in ("name", "kind", "buffer", "dtype")}
        return cls(
            **named,
            size=_naturals(fields.get("size")),
            stride=_naturals(fields.get("stride")),
            is_read=fields.get("is_read") is True,
            is_written=fields.get("is_written") is True,
            reads=_text(fields.get("reads")),
            writes=_text(fields.get("writes")),
            value=natural(fields.get("value")),
            zero=fields.get("zero") is True,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorTritonKernel:
    """``inspector_triton_kernel``: one Triton kernel, before the output code that holds it.

    Attributes:
        name: The kernel's name.
        traffic_bytes: Bytes that it reads and writes, as Inductor estimates, or None.
        flops: Floating-point operations, as Inductor estimates, or None.
        arguments: What it gets, in order; empty in recordings from before these were kept.
        numels: Size by parameter (``xnumel``), as it was when the graph was compiled.
        symbols: Value by symbol (``s0``) at that time, where sizes change.
    """

    name: str
    traffic_bytes: int | None
    flops: int | None
    arguments: tuple[KernelArgument, ...] = ()
    numels: Mapping[str, int] = dataclasses.field(default_factory=dict)
    symbols: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(
            name=str(payload.get("name", "")),
            traffic_bytes=natural(payload.get("bytes")),
            flops=natural(payload.get("flops")),
            arguments=tuple(map(KernelArgument.of, mappings(payload.get("arguments")))),
            numels=_numbers(payload.get("numels")),
            symbols=_numbers(payload.get("symbols")),
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _naturals(value: object) -> tuple[int, ...]:
    """Numbers from 0 on; none at all if one of them is something else."""
    found = tuple(number for item in items(value) if (number := natural(item)) is not None)
    return found if len(found) == len(items(value)) else ()


def _numbers(value: object) -> Mapping[str, int]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(name): number for name, item in pairs if (number := natural(item)) is not None}
