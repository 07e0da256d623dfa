"""Graphs of all stages and the code of them, whose texts stay in the log."""

import dataclasses
import re
from typing import Self

from inspector.trace.envelope import Envelope
from inspector.trace.inspector_records import StoredPayload
from inspector.trace.payload import Payload

GRAPH_STAGES = {
    ("dynamo_output_graph", ""): "dynamo",
    ("artifact", "before_pre_grad_graph"): "before_pre_grad",
    ("artifact", "after_pre_grad_graph"): "pre_grad",
    ("aot_joint_graph", ""): "joint",
    ("aot_forward_graph", ""): "forward",
    ("aot_backward_graph", ""): "backward",
    ("aot_inference_graph", ""): "inference",
    ("artifact", "before_joint_graph"): "before_joint",
    ("artifact", "after_joint_graph"): "after_joint",
    ("artifact", "before_post_grad_graph"): "before_post_grad",
    ("artifact", "inductor_post_grad_graph"): "post_grad",
    ("artifact", "after_post_grad_graph"): "post_grad",
    ("inductor_post_grad_graph", ""): "post_grad",
}
"""Stage by key and artifact name (torch/_dynamo/output_graph.py, torch/_functorch/_aot_autograd and
torch/_inductor: codecache.py, compile_fx.py, graph.py; 2.4 to 2.13)."""
AFTER_ONE = "after_pass"
"""The stage of a graph that one pass among many left."""
_AFTER_PASS = {
    "artifact": re.compile(r"(?P<name>.+)_(?:pre|post)_grad"),
    "graph_dump": re.compile(r"vllm_post_grad\.(?:\d+\.)?(?P<name>.+)"),
}
"""What torch/_inductor/fx_passes (pre_grad.py, post_grad.py) and vLLM's passes call theirs."""
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
        pass_name: The pass that left it, where the stage is `AFTER_ONE`.
    """

    stage: str
    text: Payload | None
    pass_name: str = ""

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the text, and not the text."""
        name = pass_name(envelope.key, envelope.name)
        stage = AFTER_ONE if name else GRAPH_STAGES[envelope.key, envelope.name]
        payload = envelope.payload
        return cls(stage, payload and payload.place(), name)


def pass_name(key: str, name: str) -> str:
    """The pass that left the graph that an event logs, or an empty string."""
    pattern = _AFTER_PASS.get(key)
    found = pattern.fullmatch(name) if pattern else None
    return found["name"] if found else ""


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
