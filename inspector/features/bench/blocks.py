"""Times of the blocks of one combination with one input, by session and round."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping

from inspector.records.bench import BenchEvent, TimedBlock
from inspector.run.run import Process, Run
from inspector.shared.bench import BenchPlan

Blocks = Mapping[tuple[int, int], TimedBlock]
Times = Mapping[tuple[int, int], float]
"""In ns."""


def timed_blocks(events: Iterable[BenchEvent]) -> Blocks:
    """Those that have times."""
    return {
        (event.session, event.round): event
        for event in events
        if isinstance(event, TimedBlock) and any(event.times_ns)
    }


def medians_of(blocks: Blocks) -> dict[tuple[int, int], float]:
    """The median of each, in ns."""
    return {key: statistics.median(block.times_ns) for key, block in blocks.items()}


def ratio_logs(above: Times, below: Times) -> dict[int, list[float]]:
    """The logarithms of the ratios of all rounds that both have, by session."""
    sessions: dict[int, list[float]] = {}
    for key in sorted(above.keys() & below.keys()):
        sessions.setdefault(key[0], []).append(math.log(above[key] / below[key]))
    return sessions


def middle_of(times_ns: Times) -> float:
    """The median over the sessions of the mean over rounds, these of logarithms."""
    sessions: dict[int, list[float]] = {}
    for (session, _), time_ns in times_ns.items():
        sessions.setdefault(session, []).append(math.log(time_ns))
    return math.exp(statistics.median(map(statistics.fmean, sessions.values())))


def first_process(run: Run, plan: BenchPlan, combination: int) -> Process | None:
    """The process in which a combination began for the first time, or None."""
    for process in run.processes:
        for event in process.records(BenchEvent):
            if event.combination == combination and plan.is_first(event.session):
                return process
    return None
