"""Blocks of calls that processes of `inspect bench` have timed, by session and round."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

from inspector.events.bench import BenchBlock, InspectorBench

Blocks = Mapping[tuple[int, int], BenchBlock]
"""Blocks of one combination with one input."""


def timed_blocks(events: Iterable[InspectorBench]) -> Blocks:
    """Those that have times."""
    return {
        (event.session, event.block.round): event.block
        for event in events
        if event.block is not None and any(event.block.times_ns)
    }


def medians_of(blocks: Blocks) -> dict[tuple[int, int], float]:
    """The median of each, in ns."""
    return {key: statistics.median(block.times_ns) for key, block in blocks.items()}
