"""Generators and iterators that are made outside of the compiled function."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import METHOD

__all__ = ["ADVICE"]

GENERATOR = Advice(
    id="generator-from-outside",
    kinds=(
        Kind("GB0811", "missing tp_iter"),
        Kind("GB0253", "call_method on generator"),
    ),
    title="a loop over a generator that was made outside",
    fix="Pass a list or a tuple of its items instead; or make the generator inside.",
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
    fix="Call `next()` in the caller, and pass what it gives.",
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

MAX_KEY = Advice(
    id="max-with-key",
    kinds=(Kind("GB0193", "invalid call to builtin op handler"),),
    says=r"\b(?:max|min)\b",
    title="max or min with a key over tensors",
    fix="Stack them and select by `argmax`: "
    "`torch.stack(tensors).index_select(0, keys.argmax().view(1)).squeeze(0)`.",
    before="""\
import torch


@torch.compile
def forward(x, y):
    return max([x, y], key=lambda tensor: tensor.sum()) * 2


outputs = [forward(x, torch.ones(3)) for x in (torch.zeros(3), torch.arange(3.0) + 1)]
""",
    after="""\
import torch


@torch.compile
def forward(x, y):
    both = torch.stack([x, y])
    largest = both.sum(1).argmax()
    return both.index_select(0, largest.view(1)).squeeze(0) * 2


outputs = [forward(x, torch.ones(3)) for x in (torch.zeros(3), torch.arange(3.0) + 1)]
""",
    keeps="The outputs, for tensors of one shape.",
)

SORT = Advice(
    id="sorted-tensors",
    kinds=(Kind("GB0207", "sort with non-constant keys"),),
    title="a Python sort by the values of tensors",
    fix="Stack them and sort the tensor: `torch.stack(tensors).sort()`.",
    before="""\
import torch


@torch.compile
def forward(x, y):
    low, high = sorted([x.sum(), y.sum()])
    return low - high


outputs = [forward(x, torch.ones(3)) for x in (torch.zeros(3), torch.arange(3.0) + 1)]
""",
    after="""\
import torch


@torch.compile
def forward(x, y):
    low, high = torch.stack([x.sum(), y.sum()]).sort().values
    return low - high


outputs = [forward(x, torch.ones(3)) for x in (torch.zeros(3), torch.arange(3.0) + 1)]
""",
    keeps="The outputs.",
)

SET = Advice(
    id="set-of-tensors",
    kinds=(Kind("GB0222", "Attempted to wrap a set with tensors"),),
    title="a set of tensors as an argument",
    fix="Pass a tuple or a list: a set finds tensors by identity, not by value.",
    before="""\
import torch


@torch.compile
def forward(x, others):
    for other in others:
        x = x + other
    return x


outputs = [forward(x, {torch.ones(3), torch.zeros(3)}) for x in (torch.zeros(3), torch.ones(3))]
""",
    after="""\
import torch


@torch.compile
def forward(x, others):
    for other in others:
        x = x + other
    return x


outputs = [forward(x, (torch.ones(3), torch.zeros(3))) for x in (torch.zeros(3), torch.ones(3))]
""",
    keeps="The outputs, where the order does not matter; a set has none.",
)

ADVICE = (GENERATOR, NEXT, MAX_KEY, SORT, SET)
