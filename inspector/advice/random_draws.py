"""Random numbers drawn by Python, or in place."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, header
from inspector.advice.kinds import SKIPPED


def _tailored(code: Code) -> str:
    """Where a branch decides by the number: as a tensor it would break the graph there."""
    nodes = header(code.statement) if code.statement is not None else ()
    for node in nodes:
        if isinstance(node, ast.If | ast.IfExp) and code.expression in [*ast.walk(node.test)]:
            shown = code.shown(node.test)
            return f"Decide `{shown}` in the caller, and pass the bool." if shown else ""
    return ""


PYTHON_RANDOM = Advice(
    id="python-random",
    kinds=(SKIPPED,),
    says=r"qualname: Random\.(?!seed)|module: random,",
    title="Python's random numbers",
    fix="Draw in the caller, as often as here, and pass the number as a tensor, or the choice as "
    "an argument.",
    tailored=_tailored,
    before="""\
import random
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y * random.gauss(0, 1)


random.seed(0)
outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import random
import torch


@torch.compile
def compute(x, factor):
    y = x * 2
    return y * factor


def forward(x):
    return compute(x, torch.tensor(random.gauss(0, 1), dtype=torch.float64))


random.seed(0)
outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The same random numbers, where the caller draws as many. As a Python float the number "
    "would be compiled into the graph, and every new one would compile it again.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue|third-party",
)

RANDOM_ = Advice(
    id="random-in-place",
    kinds=(Kind("GB0107", "Tensor.random_ op"),),
    title="Tensor.random_",
    fix="Make the tensor with `torch.randint_like(x, low, high)` or `torch.randint`; into a tensor "
    "that others hold, copy it: `x.copy_(…)`.",
    before="""\
import torch


@torch.compile
def forward(x):
    return x + torch.empty_like(x).random_(1, 3).clamp(5, 5)


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    return x + torch.randint_like(x, 1, 3).clamp(5, 5)


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="The distribution; the random numbers can be others.",
)

UNIFORM_ = Advice(
    id="uniform-from",
    kinds=(Kind("GB0110", "Tensor.uniform_ op called with `from` keyword"),),
    title="uniform_ with the keyword from",
    fix="Give the bounds by position: `x.uniform_(low, high)`.",
    before="""\
import torch


@torch.compile
def forward(x):
    return x + torch.empty_like(x).uniform_(**{"from": 2.0, "to": 3.0}).floor()


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    return x + torch.empty_like(x).uniform_(2.0, 3.0).floor()


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="The distribution; the random numbers can be others.",
)

ADVICE = (PYTHON_RANDOM, RANDOM_, UNIFORM_)
