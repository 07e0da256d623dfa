"""The texts of graphs that torch logs and nothing but a look at graphs uses."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.payload import Payload

_STAGES = {
    "after_pre_grad_graph": "pre_grad",
    "aot_joint_graph": "joint",
    "aot_forward_graph": "forward",
    "aot_backward_graph": "backward",
    "aot_inference_graph": "inference",
}
GRAPH_TEXTS = tuple((key, "") if key.startswith("aot_") else ("artifact", key) for key in _STAGES)
"""Key and artifact name (torch/_inductor/compile_fx.py and torch/_functorch/_aot_autograd,
2.11 to 2.13)."""


@dataclasses.dataclass(frozen=True, slots=True)
class GraphLogged:
    """One of the graphs, whose text stays in the log.

    Attributes:
        stage: ``pre_grad``, ``joint``, ``forward``, ``backward`` or ``inference``.
    """

    stage: str
    text: Payload | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the text, and not the text."""
        payload = envelope.payload
        return cls(_STAGES[envelope.name or envelope.key], payload and payload.place())
