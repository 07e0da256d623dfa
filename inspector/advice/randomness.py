"""Random numbers."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, header
from inspector.advice.kinds import METHOD, SKIPPED

SEED = Advice(
    id="manual-seed",
    kinds=(SKIPPED,),
    says=r"qualname: (?:manual_seed|seed|get_rng_state|set_rng_state|initial_seed|Random\.seed)\b",
    title="seeding in compiled code",
    fix="Seed in the caller, before the compiled function is called, if nothing is drawn above "
    "this line; else end the compiled function there, seed, and compile the rest as a second one.",
    keeps="The same random numbers with the eager backends, if none is drawn before the seed; "
    "Inductor draws its own unless `torch._inductor.config.fallback_random` is set.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

GENERATOR = Advice(
    id="generator-argument",
    kinds=(Kind("GB0055", "Failed to convert args/kwargs to proxy"),),
    says=r"Generator",
    title="random numbers from a torch.Generator",
    fix="Draw from the generator in the caller, and pass the tensor; a graph takes no generator.",
    keeps="The same random numbers.",
)

GENERATOR_SEED = Advice(
    id="generator-seed",
    kinds=(Kind("GB7650", "torch.Generator method"), METHOD),
    says=r"\bGenerator\b.*manual_seed|manual_seed.*\bGenerator\b|torch\.Generator",
    title="a method of a torch.Generator",
    fix="Seed the generator in the caller, before the compiled function is called; what is drawn "
    "from it is drawn in the caller as well.",
    keeps="The same random numbers.",
    instead_of=r"^Avoid calling",
)


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

ADVICE = (SEED, GENERATOR, GENERATOR_SEED, PYTHON_RANDOM, RANDOM_, UNIFORM_)
