"""Random numbers: seeds, generators, and Python's own."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import METHOD, SKIPPED

__all__ = ["ADVICE"]

SEED = Advice(
    id="manual-seed",
    kinds=(SKIPPED,),
    says=r"qualname: (?:manual_seed|seed|get_rng_state|set_rng_state|initial_seed|Random\.seed)\b",
    title="seeding in compiled code",
    fix="Seed in the caller, before the compiled function is called.",
    before="""\
import torch

@torch.compile
def forward(x):
    torch.manual_seed(0)
    return x + torch.rand(3)

outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch

@torch.compile
def compute(x):
    return x + torch.rand(3)

def forward(x):
    torch.manual_seed(0)
    return compute(x)

outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="The same random numbers with the eager backends; Inductor draws its own unless "
    "`torch._inductor.config.fallback_random` is set.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

GENERATOR = Advice(
    id="generator-argument",
    kinds=(Kind("GB0055", "Failed to convert args/kwargs to proxy"),),
    says=r"Generator",
    title="random numbers from a torch.Generator",
    fix="Draw from the generator in the caller, and pass the tensor; a graph takes no generator.",
    before="""\
import torch

generator = torch.Generator().manual_seed(0)

@torch.compile
def forward(x):
    return x + torch.rand(3, generator=generator)

outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch

generator = torch.Generator().manual_seed(0)

@torch.compile
def compute(x, noise):
    return x + noise

def forward(x):
    return compute(x, torch.rand(3, generator=generator))

outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="The same random numbers.",
)

GENERATOR_SEED = Advice(
    id="generator-seed",
    kinds=(Kind("GB7650", "torch.Generator method"), METHOD),
    says=r"\bGenerator\b.*manual_seed|manual_seed.*\bGenerator\b|torch\.Generator",
    title="a method of a torch.Generator",
    fix="Seed the generator in the caller, before the compiled function is called.",
    before="""\
import torch

generator = torch.Generator()

@torch.compile
def forward(x):
    generator.manual_seed(0)
    return x * 2

outputs = [(forward(x), torch.rand(2, generator=generator)) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch

generator = torch.Generator()

@torch.compile
def compute(x):
    return x * 2

def forward(x):
    generator.manual_seed(0)
    return compute(x)

outputs = [(forward(x), torch.rand(2, generator=generator)) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="The same random numbers.",
    instead_of=r"^Avoid calling",
)

PYTHON_RANDOM = Advice(
    id="python-random",
    kinds=(SKIPPED,),
    says=r"qualname: Random\.(?!seed)|module: random,",
    title="Python's random numbers",
    fix="Draw in the caller and pass the number as a tensor, or the choice as an argument.",
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
    return compute(x, torch.tensor(random.gauss(0, 1)))

random.seed(0)
outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The same random numbers, to float32. As a Python float the number would be compiled into "
    "the graph, and every new one would compile it again.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue|third-party",
)

RANDOM_ = Advice(
    id="random-in-place",
    kinds=(Kind("GB0107", "Tensor.random_ op"),),
    title="Tensor.random_",
    fix="Make the tensor with `torch.randint_like(x, low, high)` or `torch.randint`.",
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

ADVICE = (SEED, GENERATOR, GENERATOR_SEED, PYTHON_RANDOM, RANDOM_, UNIFORM_)
