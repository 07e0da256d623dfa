"""Published figures of models, to be checked on the machine at hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

PAIRS: Mapping[str, str] = {
    "time_ms": "time of a call, eager and compiled",
    "throughput_per_s": "items per second, eager and compiled",
    "peak_mb": "peak memory, eager and compiled",
}
"""What is claimed of eager PyTorch and of a setting; the gain is what is checked."""
METRICS: Mapping[str, str] = {
    **PAIRS,
    "first_call_ms": "first calls, from and to",
    "cached_call_ms": "later calls, from and to",
    "speedup": "eager time by compiled time, from and to",
}
"""Everything that can be claimed, by its name in a file."""


@dataclasses.dataclass(frozen=True, slots=True)
class Claim:
    """A published figure.

    Attributes:
        setting: The setting that it is about, as tables of `inspect bench` have it.
        metric: One of `METRICS`.
        first: Eager PyTorch's figure, or the lower end; in the metric's unit.
        second: The setting's figure, or the upper end.
    """

    setting: str
    metric: str
    first: float
    second: float

    @property
    def gain(self) -> float | None:
        """How many times better than eager PyTorch, or None of what is no pair."""
        if self.metric not in PAIRS:
            return None
        is_rate = self.metric == "throughput_per_s"
        return self.second / self.first if is_rate else self.first / self.second


@dataclasses.dataclass(frozen=True, slots=True)
class ClaimedModel:
    """What is claimed of a model.

    Attributes:
        name: What it is called.
        target: The model, as a command line would name it.
        options: Options of `inspect bench` by name.
        claims: The figures.
    """

    name: str
    target: str
    options: Mapping[str, object]
    claims: tuple[Claim, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Claims:
    """A file of claims.

    Attributes:
        file: The file.
        published: Where the figures come from, and on what they were measured.
        models: The models.
    """

    file: str
    published: str
    models: tuple[ClaimedModel, ...]
