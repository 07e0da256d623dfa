"""``inspector_kernel_build``: one generated kernel, compiled in every configuration."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorKernelBuild:
    """A kernel's build as the process wrote it that compiled it.

    Attributes:
        name: Name of the kernel.
        key: Hash of its source and of what compiled it.
        payload: All of it; `inspector.builds.run.kernel_build` makes the model of it.
    """

    name: str
    key: str
    payload: Mapping[str, object]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the payload."""
        payload = envelope.json_object()
        return cls(str(payload.get("name", "")), str(payload.get("key", "")), payload)
