"""Seeds and generators of torch's random numbers."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
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

ADVICE = (SEED, GENERATOR, GENERATOR_SEED)
