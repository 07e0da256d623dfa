"""Graphs of all stages and the code of them, whose texts stay in the log."""

import dataclasses
from typing import Self

from inspector.trace.envelope import Envelope
from inspector.trace.inspector_records import StoredPayload
from inspector.trace.payload import Payload

GRAPH_STAGES = {
    ("dynamo_output_graph", ""): "dynamo",
    ("artifact", "after_pre_grad_graph"): "pre_grad",
    ("aot_joint_graph", ""): "joint",
    ("aot_forward_graph", ""): "forward",
    ("aot_backward_graph", ""): "backward",
    ("aot_inference_graph", ""): "inference",
    ("artifact", "inductor_post_grad_graph"): "post_grad",
    ("artifact", "after_post_grad_graph"): "post_grad",
    ("inductor_post_grad_graph", ""): "post_grad",
}
"""Stage by key and artifact name (torch/_dynamo/output_graph.py, torch/_functorch/_aot_autograd and
torch/_inductor: codecache.py, compile_fx.py, graph.py; 2.4 to 2.13)."""
AHEAD_CODES = {
    "inductor_aot_code": False,
    "inductor_aot_wrapper_code": False,
    "inductor_aot_kernel_code": True,
}
"""Names of what AOTInductor dumps (torch/_inductor/codecache.py): whether it continues the last."""


@dataclasses.dataclass(frozen=True, slots=True)
class GraphLogged:
    """A graph.

    Attributes:
        stage: One of `GRAPH_STAGES`; ``post_grad`` is what Inductor lowers.
    """

    stage: str
    text: Payload | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the text, and not the text."""
        payload = envelope.payload
        return cls(GRAPH_STAGES[envelope.key, envelope.name], payload and payload.place())


@dataclasses.dataclass(frozen=True, slots=True)
class OutputCode(StoredPayload):
    """Event ``inductor_output_code``, or ``graph_dump`` of AOTInductor: the code of one graph.

    Attributes:
        is_rest: Whether it has the C++ kernels of the wrapper that was logged before it.
    """

    file: str
    is_ahead: bool = False
    is_rest: bool = False

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the text, and not the text."""
        payload = envelope.payload
        return cls(
            payload and payload.place(),
            str(envelope.fields().get("filename") or ""),
            is_ahead=envelope.name in AHEAD_CODES,
            is_rest=AHEAD_CODES.get(envelope.name, False),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class CollectiveSchedule:
    """``inductor_collective_schedule``: the collectives of one graph, in the order of its code.

    Attributes:
        operators: Torch's spelling, waits included (``torch.ops._c10d_functional.wait_tensor…``).
    """

    operators: tuple[str, ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the JSON payload: a list of names."""
        found = envelope.payload.json() if envelope.payload else ()
        names = found if isinstance(found, list) else ()
        return cls(tuple(name for name in names if isinstance(name, str)))
