"""What only Inductor logs: with any of it, the compilation was lowered by Inductor."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope

__all__ = ["INDUCTOR_KEYS", "InductorStage"]

INDUCTOR_KEYS = (
    ("artifact", "inductor_post_grad_graph"),
    ("inductor_output_code", ""),
    ("inductor_post_grad_graph", ""),
)
"""Key and artifact name (torch/_inductor: codecache.py, compile_fx.py, graph.py; 2.11 to 2.13)."""


@dataclasses.dataclass(frozen=True, slots=True)
class InductorStage:
    """A stage of Inductor was at work; what it logged stays in the log."""

    @classmethod
    def read(cls, envelope: Envelope) -> Self:  # noqa: ARG003 - the same signature for all events
        """Reads nothing: that it was logged is what counts."""
        return cls()
