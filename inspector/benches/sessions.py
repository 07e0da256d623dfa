"""Processes of a combination of `inspect bench`, and what was measured of it by session."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

from inspector.model.bench import BenchPlan
from inspector.model.run import Process, Run


def by_session(values: Mapping[tuple[int, int], float]) -> dict[int, list[float]]:
    """Values of rounds, those of a session together.

    Args:
        values: By session and round.
    """
    sessions: dict[int, list[float]] = {}
    for session, number in sorted(values):
        sessions.setdefault(session, []).append(values[session, number])
    return sessions


def logs_by_session(times_ns: Mapping[tuple[int, int], float]) -> dict[int, float]:
    """The mean over the rounds of a session of the logarithms of times.

    Args:
        times_ns: By session and round.
    """
    return {
        session: statistics.fmean(map(math.log, rounds))
        for session, rounds in by_session(times_ns).items()
    }


def ratio_logs(
    above: Mapping[tuple[int, int], float], below: Mapping[tuple[int, int], float]
) -> dict[int, list[float]]:
    """The logarithms of the ratios of all rounds that both have, by session.

    Args:
        above: Times in ns by session and round.
        below: The same of what is compared.
    """
    both = above.keys() & below.keys()
    return by_session({key: math.log(above[key] / below[key]) for key in both})


def middle_of(times_ns: Mapping[tuple[int, int], float]) -> float:
    """The median over the sessions of the mean over rounds, these of logarithms.

    Args:
        times_ns: By session and round, one at least.
    """
    return math.exp(statistics.median(logs_by_session(times_ns).values()))


def first_process(run: Run, plan: BenchPlan, combination: int) -> Process | None:
    """The process in which a combination began for the first time, or None."""
    for process in run.processes:
        for event in process.benches:
            if event.combination == combination and plan.is_first(event.session):
                return process
    return None
