"""What was tried at one place, as it is written."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from inspector.capture.writer import emit
from inspector.records.autotuning import Autotuned, TriedCandidate

NOT_RUN = "failed to run"
_MS_NS = 1_000_000


def timed_as(
    candidate: TriedCandidate, time_ms: object, otherwise: str = NOT_RUN
) -> TriedCandidate:
    """A candidate with a time in ms, as benchmarks give it: infinity stands for a failure."""
    if isinstance(time_ms, int | float) and 0 <= time_ms < math.inf:
        return dataclasses.replace(candidate, time_ns=round(time_ms * _MS_NS))
    return dataclasses.replace(candidate, time_ns=None, failed=candidate.failed or otherwise)


def fastest(candidates: Iterable[TriedCandidate]) -> int | None:
    """The place of the candidate with the least time, or None."""
    times = [(item.time_ns, at) for at, item in enumerate(candidates) if item.time_ns is not None]
    return min(times)[1] if times else None


def write(tried: Autotuned) -> None:
    """Writes ``inspector_autotuned``."""
    candidates = [dataclasses.replace(item, at=at) for at, item in enumerate(tried.candidates)]
    failed = sum(bool(item.failed) for item in candidates)
    emit(
        dataclasses.replace(
            tried, total=len(candidates), failed=failed, candidates=tuple(candidates)
        )
    )
