"""Repeats a measurement until it is stable."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

_LEAST = 10
_MOST = 200
_MOST_SECONDS = 0.4
_STABLE = 0.03


class Unsupported(Exception):  # noqa: N818 - no error: it says what the machine lacks, for good
    """What this machine, or this torch, does not have; another try gives the same."""


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """One figure.

    Attributes:
        spread: How far the first half of the samples and the second are apart, as a share.
    """

    value: float
    spread: float = 0.0
    is_stable: bool = True


Measurement: TypeAlias = tuple[tuple[str, ...], Callable[[], Iterator[tuple[str, Measured]]]]
"""Names of figures, and what measures them: those that it does not come to are missing."""


def one(name: str, measure: Callable[[], Measured]) -> Measurement:
    """A measurement of one figure."""

    def found() -> Iterator[tuple[str, Measured]]:
        yield name, measure()

    return (name,), found


def until_stable(sample: Callable[[], float]) -> Measured:
    """A time, from as many samples as make it stable, or as 0.4 s allow.

    The first one warms up and does not count.
    """
    sample()
    began = time.monotonic()
    samples: list[float] = []
    while len(samples) < _MOST:
        samples.append(sample())
        if len(samples) >= _LEAST and of_samples(samples).is_stable:
            break
        if time.monotonic() - began > _MOST_SECONDS and len(samples) >= _LEAST // 2:
            break
    return of_samples(samples)


def of_samples(samples: Sequence[float]) -> Measured:
    """The median of the faster half of times: whatever else runs makes them longer, never shorter.

    Where it is another one for the first and for the second half of the samples (clocks rise, a
    neighbour begins), it is not stable.
    """
    half = len(samples) // 2
    value, first, last = map(_faster, (samples, samples[:half] or samples, samples[half:]))
    spread = abs(first - last) / value if value > 0 else 1.0
    return Measured(value, spread, spread <= _STABLE)


def _faster(samples: Sequence[float]) -> float:
    return statistics.median(sorted(samples)[: (len(samples) + 1) // 2])


def rate(amount: float, seconds: Measured) -> Measured:
    """The amount by the time that it took."""
    return dataclasses.replace(seconds, value=amount / seconds.value)
