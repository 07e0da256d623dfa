"""Blocks of calls that processes of `inspect bench` have timed, by session and round."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

from inspector.events.bench import BenchBlock, InspectorBench

Blocks = Mapping[tuple[int, int], BenchBlock]
"""Blocks of one combination with one input."""


def timed_blocks(events: Iterable[InspectorBench]) -> Blocks:
    """Those of the program as it is."""
    return _blocks((event.session, event.block) for event in events)


def kept_blocks(events: Iterable[InspectorBench]) -> Blocks:
    """Those that were timed once memory is kept."""
    return _blocks((event.session, event.kept) for event in events)


def _blocks(found: Iterable[tuple[int, BenchBlock | None]]) -> Blocks:
    return {
        (session, block.round): block
        for session, block in found
        if block is not None and any(block.times_ns)
    }


def medians_of(blocks: Blocks) -> dict[tuple[int, int], float]:
    """The median of each, in ns."""
    return {key: statistics.median(block.times_ns) for key, block in blocks.items()}


def page_faults_of(blocks: Blocks) -> dict[tuple[int, int], float]:
    """Pages that the system gives anew in a call of each; those are missing that did not count."""
    return {
        key: block.page_faults / len(block.times_ns)
        for key, block in blocks.items()
        if block.page_faults is not None
    }
