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
    keeps="The outputs. All items are made before the call.",
    instead_of=r"enable_faithful_generator",
)

NEXT = Advice(
    id="next-of-outer-iterator",
    kinds=(Kind("GB4347", "Missing tp_iternext"), METHOD),
    says=r"tp_iternext|`__next__` of class|__next__",
    title="next() of an iterator that was made outside",
    fix="Call `next()` in the caller, as often as here, and pass what it gives.",
    keeps="The outputs, and how far the iterator has come.",
    instead_of=r"^Avoid calling|file an issue",
)

ADVICE = (GENERATOR, NEXT)
