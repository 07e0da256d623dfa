"""Our artifact about a Triton kernel: what Inductor estimates of it."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope

__all__ = ["InspectorTritonKernel"]


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorTritonKernel:
    """``inspector_triton_kernel``: one Triton kernel, before the output code that holds it.

    Attributes:
        name: The kernel's name.
        traffic_bytes: Bytes that it reads and writes, as Inductor estimates, or None.
        flops: Floating-point operations, as Inductor estimates, or None.
    """

    name: str
    traffic_bytes: int | None
    flops: int | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        sizes = (payload.get("bytes"), payload.get("flops"))
        known = (size if isinstance(size, int) else None for size in sizes)
        return cls(str(payload.get("name", "")), *known)
