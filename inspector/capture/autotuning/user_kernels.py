"""Observes how Triton tunes the program's own kernels that run outside of compiled graphs.

``triton.runtime.autotuner.Autotuner`` (Triton 3.6 to 3.9) asks `prune_configs` for what to try
where it has no choice yet, and times each with `_bench`; neither is called for a warm kernel.
Within compiled graphs Inductor's own autotuner takes over.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any

from inspector.capture.autotuning.tried import config_text, fastest, timed_as, write
from inspector.capture.hooks import Called, Hooks, Outcome, timed
from inspector.capture.writer import guarded
from inspector.records.autotuning import Autotuned, TriedCandidate

_NOT_RUN = "Triton cannot compile it, or the device lacks what it needs"


@dataclasses.dataclass(slots=True)
class _Tuning:
    expected: int
    begun_ns: int
    candidates: list[TriedCandidate] = dataclasses.field(default_factory=list)


class UserTuningObserver(Hooks):
    """Writes ``inspector_autotuned`` for each kernel of the program's own that Triton tunes."""

    def __init__(self) -> None:
        super().__init__()
        self._tunings: dict[int, _Tuning] = {}

    def watch(self) -> None:
        """Begins to observe: Triton has been imported."""
        from triton.runtime.autotuner import Autotuner

        self.put(Autotuner, "prune_configs", self._prune)
        self.put(Autotuner, "_bench", self._bench)
        self.put(Autotuner, "check_disk_cache", self._look_up)

    def release(self) -> None:
        """Ends observing."""
        super().release()
        self._tunings.clear()

    def _prune(self, called: Called) -> object:
        configs = called.go()
        if isinstance(configs, Sequence) and len(configs) > 1:
            self._tunings[id(called.owner)] = _Tuning(len(configs), time.perf_counter_ns())
        return configs

    def _bench(self, called: Called) -> object:
        if id(called.owner) not in self._tunings:
            return called.go()
        what = "a configuration of the program's own kernel"
        return timed(called, what, lambda outcome: self._add(called, outcome))

    def _look_up(self, called: Called) -> object:
        is_found = called.go()
        if is_found is True:
            guarded("a kernel's cached configurations", lambda: self._cached(called.owner))
        return is_found

    def _add(self, called: Called, outcome: Outcome) -> None:
        owner, failure = called.owner, outcome.failure
        tuning = self._tunings[id(owner)]
        candidate = _candidate(called.kwargs.get("config"), outcome.result, failure)
        tuning.candidates.append(dataclasses.replace(candidate, spent_ns=outcome.took_ns))
        if len(tuning.candidates) == tuning.expected or failure:
            del self._tunings[id(owner)]
            took_ns = time.perf_counter_ns() - tuning.begun_ns
            _write(owner, tuning.candidates, "failed" if failure else "measured", took_ns)

    def _cached(self, owner: Any) -> None:
        self._tunings.pop(id(owner), None)
        timings = getattr(owner, "configs_timings", None) or {}
        _write(owner, [_candidate(*pair) for pair in timings.items()], "cached", 0)


def _candidate(config: object, result: object, failure: str = "") -> TriedCandidate:
    """What was tried; the result is a time in ms, or its quantiles, the median first."""
    time_ms = next(iter(result), None) if isinstance(result, Sequence) else result
    candidate = timed_as(TriedCandidate(text=config_text(config), kind="config"), time_ms)
    failed = (failure or _NOT_RUN) if candidate.time_ns is None else ""
    return dataclasses.replace(candidate, failed=failed)


def _write(owner: Any, candidates: Sequence[TriedCandidate], how: str, took_ns: int) -> None:
    function = getattr(owner, "base_fn", None)
    code = getattr(function, "__code__", None)
    write(
        Autotuned(
            kind="user",
            name=str(getattr(function, "__name__", "")),
            how=how,
            chosen=fastest(candidates) if how != "failed" else None,
            candidates=tuple(candidates),
            benchmark_ns=took_ns,
            is_outside=True,
            file=getattr(code, "co_filename", ""),
            line=getattr(code, "co_firstlineno", 0),
        )
    )
