"""What asks for a break: torch.compiler.disable, graph_break, asynchronous collectives."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import BREAK_CALL

DISABLED = Advice(
    id="disabled-function",
    kinds=(
        Kind("GB0098", "Skip calling `torch.compiler.disable()`d function"),
        Kind("GB0099", "Skip inlining `torch.compiler.disable()`d function"),
    ),
    title="a function with torch.compiler.disable",
    fix="Remove `torch.compiler.disable`, if what it was there for is traced by now; or call the "
    "function in the caller, so that it stands between two compiled functions, not in one.",
    keeps="The outputs.",
)

GRAPH_BREAK = Advice(
    id="graph-break-call",
    kinds=(BREAK_CALL,),
    title="a call of torch._dynamo.graph_break()",
    fix="Remove the call; where it is torch's own, leave the code that leads to it to the caller.",
    keeps="The outputs.",
    instead_of=r"^Remove the `torch\._dynamo\.graph_break\(\)` call",
)

ASYNC = Advice(
    id="asynchronous-collective",
    kinds=(Kind("GB0172", "async_op=True for distributed collectives"),),
    title="a collective with async_op=True",
    fix="Leave out `async_op=True` and `wait()`: in a graph the collectives are asynchronous, and "
    "Inductor waits where the result is used.",
    keeps="The outputs.",
)

ADVICE = (DISABLED, GRAPH_BREAK, ASYNC)
