"""What was tried at one place, as it is written."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any

from inspector.capture.writer import emit
from inspector.records.autotuning import Autotuned, TriedCandidate

NOT_RUN = "it could not be run"
_MS_NS = 1_000_000
_LONGEST = 600
# CUTLASS has thousands of candidates for one product; nobody reads beyond the fastest.
_MOST = 1000


def timed_as(candidate: TriedCandidate, time_ms: object) -> TriedCandidate:
    """A candidate with a time in ms, as benchmarks give it: infinity stands for a failure."""
    if isinstance(time_ms, int | float) and 0 <= time_ms < math.inf:
        return dataclasses.replace(candidate, time_ns=round(time_ms * _MS_NS))
    return dataclasses.replace(candidate, time_ns=None, failed=candidate.failed or NOT_RUN)


def fastest(candidates: Iterable[TriedCandidate]) -> int | None:
    """The place of the candidate with the least time, or None."""
    timed = [(item.time_ns, at) for at, item in enumerate(candidates) if item.time_ns is not None]
    return min(timed)[1] if timed else None


def write(tried: Autotuned) -> None:
    """Writes ``inspector_autotuned``; of too many candidates the fastest, and some that failed."""
    every = tried.candidates
    needed = {tried.chosen, tried.default}

    def key(at: int) -> tuple[bool, float]:
        time_ns = every[at].time_ns
        return at not in needed, math.inf if time_ns is None else time_ns

    kept = sorted(sorted(range(len(every)), key=key)[:_MOST])
    emit(
        dataclasses.replace(
            tried,
            name=tried.name[:_LONGEST],
            total=len(every),
            failed=sum(bool(item.failed) for item in every),
            candidates=tuple(_cut(at, every[at]) for at in kept),
        )
    )


def _cut(at: int, candidate: TriedCandidate) -> TriedCandidate:
    text, failed = candidate.text[:_LONGEST], candidate.failed[:_LONGEST]
    return dataclasses.replace(candidate, at=at, text=text, failed=failed)


def config_text(config: Any) -> str:
    """A Triton kernel's configuration: ``XBLOCK=256, num_warps=4, num_stages=1``."""
    parts = {str(name): value for name, value in dict(config.kwargs).items()}
    for name, usual in (
        ("num_warps", None),
        ("num_stages", None),
        ("num_ctas", 1),
        ("maxnreg", None),
    ):
        value = getattr(config, name, None)
        if value not in {None, usual}:
            parts[name] = value
    return ", ".join(f"{name}={value}" for name, value in parts.items())
