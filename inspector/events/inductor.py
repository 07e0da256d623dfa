"""What only Inductor logs: with any of it, the compilation was lowered by Inductor."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.payload import Payload

INDUCTOR_KEYS = (
    ("artifact", "inductor_post_grad_graph"),
    ("artifact", "after_post_grad_graph"),
    ("inductor_post_grad_graph", ""),
)
"""Key and artifact name (torch/_inductor: codecache.py, compile_fx.py, graph.py; 2.4 to 2.13)."""
AHEAD_CODES = {
    "inductor_aot_code": False,
    "inductor_aot_wrapper_code": False,
    "inductor_aot_kernel_code": True,
}
"""Names of what AOTInductor dumps (torch/_inductor/codecache.py): whether it continues the last."""


@dataclasses.dataclass(frozen=True, slots=True)
class InductorStage:
    """The post-grad graph: what Inductor lowers, whose text stays in the log."""

    text: Payload | None = None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the text, and not the text."""
        payload = envelope.payload
        return cls(payload and payload.place())


@dataclasses.dataclass(frozen=True, slots=True)
class OutputCode:
    """Event ``inductor_output_code``: the code of one graph, whose text stays in the log.

    Attributes:
        file: The file that torch wrote it to, or an empty string.
    """

    text: Payload | None
    file: str

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the text, and not the text."""
        payload = envelope.payload
        file = envelope.fields().get("filename")
        return cls(payload and payload.place(), str(file or ""))


@dataclasses.dataclass(frozen=True, slots=True)
class AheadCode:
    """Event ``graph_dump`` of AOTInductor: C++ of one graph, whose text stays in the log.

    Attributes:
        file: The file that torch wrote it to, or an empty string.
        is_rest: Whether it has the C++ kernels of the wrapper that was logged before it.
    """

    text: Payload | None
    file: str
    is_rest: bool

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the text, and not the text."""
        payload = envelope.payload
        file = envelope.fields().get("filename")
        return cls(payload and payload.place(), str(file or ""), AHEAD_CODES[envelope.name])
