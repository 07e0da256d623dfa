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
    keeps="The distribution; the random numbers can be others.",
)

UNIFORM_ = Advice(
    id="uniform-from",
    kinds=(Kind("GB0110", "Tensor.uniform_ op called with `from` keyword"),),
    title="uniform_ with the keyword from",
    fix="Give the bounds by position: `x.uniform_(low, high)`.",
    keeps="The distribution; the random numbers can be others.",
)

ADVICE = (PYTHON_RANDOM, RANDOM_, UNIFORM_)
