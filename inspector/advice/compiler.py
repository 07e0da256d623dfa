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
    before="""\
import torch


@torch.compiler.disable
def log_norm(x):
    return x.norm().log()


@torch.compile
def forward(x):
    y = x * 2
    return log_norm(y) + 1


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


def log_norm(x):
    return x.norm().log()


@torch.compile
def forward(x):
    y = x * 2
    return log_norm(y) + 1


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs.",
)

GRAPH_BREAK = Advice(
    id="graph-break-call",
    kinds=(BREAK_CALL,),
    title="a call of torch._dynamo.graph_break()",
    fix="Remove the call; where it is torch's own, leave the code that leads to it to the caller.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    torch._dynamo.graph_break()
    return y + 1


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y + 1


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs.",
    instead_of=r"^Remove the `torch\._dynamo\.graph_break\(\)` call",
)

ASYNC = Advice(
    id="asynchronous-collective",
    kinds=(Kind("GB0172", "async_op=True for distributed collectives"),),
    title="a collective with async_op=True",
    fix="Leave out `async_op=True` and `wait()`: in a graph the collectives are asynchronous, and "
    "Inductor waits where the result is used.",
    before="""\
import torch
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


@torch.compile
def forward(x):
    y = x * 2
    work = dist.all_reduce(y, async_op=True)
    work.wait()
    return y + 1


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


@torch.compile
def forward(x):
    y = x * 2
    dist.all_reduce(y)
    return y + 1


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs.",
)

ADVICE = (DISABLED, GRAPH_BREAK, ASYNC)
