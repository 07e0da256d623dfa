"""A kernel with its hardware counters."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, slots=True)
class CountedKernel:
    """One kernel of a call, under Nsight Compute, which ran it several times.

    Attributes:
        values: Numbers by metric: ns, bytes, percent, or warps for each that issues.
        grid: Blocks in three dimensions, or nothing.
        block: Threads of a block in three dimensions, or nothing.
    """

    name: str
    values: Mapping[str, float]
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
