"""Generators and iterators that are made outside of the compiled function."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import METHOD

GENERATOR = Advice(
    id="generator-from-outside",
    kinds=(
        Kind("GB0811", "missing tp_iter"),
        Kind("GB0253", "call_method on generator"),
    ),
    says=r"(?i)generator",
    title="a loop over a generator that was made outside",
    fix="Pass a list or a tuple of its items instead (`itertools.islice` of an endless one); or "
    "make the generator inside.",
    before="""\
import torch


def factors(n):
    for index in range(n):
        yield index + 1


@torch.compile
def forward(x, items):
    for item in items:
        x = x * item
    return x


outputs = [forward(x, factors(3)) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


def factors(n):
    for index in range(n):
        yield index + 1


@torch.compile
def forward(x, items):
    for item in items:
        x = x * item
    return x


outputs = [forward(x, tuple(factors(3))) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs. All items are made before the call.",
    instead_of=r"enable_faithful_generator",
)

NEXT = Advice(
    id="next-of-outer-iterator",
    kinds=(Kind("GB4347", "Missing tp_iternext"), METHOD),
    says=r"tp_iternext|`__next__` of class|__next__",
    title="next() of an iterator that was made outside",
    fix="Call `next()` in the caller, as often as here, and pass what it gives.",
    before="""\
import torch

scales = iter([torch.tensor(1.0), torch.tensor(2.0)])


@torch.compile
def forward(x):
    return x * next(scales)


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch

scales = iter([torch.tensor(1.0), torch.tensor(2.0)])


@torch.compile
def compute(x, scale):
    return x * scale


def forward(x):
    return compute(x, next(scales))


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs, and how far the iterator has come.",
    instead_of=r"^Avoid calling|file an issue",
)

ADVICE = (GENERATOR, NEXT)
