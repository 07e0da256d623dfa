"""Observes how the configuration of a generated Triton kernel is found, when it first runs.

``CachingAutotuner`` (torch/_inductor/runtime/triton_heuristics.py, 2.11 and 2.13) times its
configurations, may go on from the best one coordinate by coordinate, and never does so again: what
is watched here is not called for a kernel that is warm.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Mapping
from typing import Any

from inspector.capture.autotuning.tried import NOT_RUN, config_text, timed_as, write
from inspector.capture.hooks import Around, Called, Hooks, Outcome, timed
from inspector.records.autotuning import Autotuned, TriedCandidate

_SPILLED = "too many registers are spilled"
_WORDS = {"REGISTER_SPILLING": _SPILLED, "INVALID_CONFIG": "the device refuses it"}
_LIMIT = 1 << 62
_UNNAMED = "DESCRIPTIVE_NAME"  # what stands for a name in a kernel that is only timed


@dataclasses.dataclass(slots=True)
class _Tuning:
    """What is being tried for one kernel in one step (`TriedCandidate.step`), with launchers."""

    step: str
    candidates: list[TriedCandidate] = dataclasses.field(default_factory=list)
    launchers: list[Any] = dataclasses.field(default_factory=list)

    def begin_with(self, launcher: Any) -> None:
        """Puts what it goes on from first, where that has not been timed once more."""
        candidate = self._candidate(launcher)
        if candidate.text not in {item.text for item in self.candidates}:
            self.candidates.insert(0, candidate)
            self.launchers.insert(0, launcher)

    def add(self, owner: Any, launcher: Any, outcome: Outcome) -> None:
        """Takes the time of a launcher, in ms, or why it has none."""
        candidate = dataclasses.replace(
            self._candidate(launcher),
            spent_ns=outcome.took_ns,
            failed=outcome.failure or _reason(owner, launcher),
            registers=_fact(launcher, "n_regs"),
            spills=_fact(launcher, "n_spills"),
        )
        candidate = timed_as(candidate, outcome.result)
        if candidate.failed == _SPILLED or _spilled(candidate):
            spills = "?" if candidate.spills is None else candidate.spills
            candidate = dataclasses.replace(candidate, failed=f"{_SPILLED} ({spills})")
        self.candidates.append(candidate)
        self.launchers.append(launcher)

    def place(self, launcher: Any) -> int | None:
        """Which candidate a launcher is; it may have been made again for its configuration."""
        for at in reversed(range(len(self.launchers))):
            if self.launchers[at] is launcher:
                return at
        config = getattr(launcher, "config", None)
        text = "" if config is None else config_text(config)
        return next((at for at, item in enumerate(self.candidates) if item.text == text), None)

    def _candidate(self, launcher: Any) -> TriedCandidate:
        return TriedCandidate(text=config_text(launcher.config), kind="config", step=self.step)


class KernelTuningObserver(Hooks):
    """Writes ``inspector_autotuned`` for each kernel of which more than one configuration ran."""

    def __init__(self) -> None:
        super().__init__()
        self._local = threading.local()

    def watch(self) -> None:
        """Begins to observe."""
        from torch._inductor.runtime import triton_heuristics

        owner = triton_heuristics.CachingAutotuner
        self.put(owner, "autotune_to_one_config", self._around(""))
        self.put(owner, "coordinate_descent_tuning", self._around("descent"))
        self.put(owner, "_combo_sequential_autotune", self._around("combo"))
        self.put(owner, "bench", self._bench)

    @property
    def _tunings(self) -> list[_Tuning]:
        found: list[_Tuning] = self._local.__dict__.setdefault("tunings", [])
        return found

    def _around(self, step: str) -> Around:
        def around(called: Called) -> object:
            tuning = _Tuning(step)
            self._tunings.append(tuning)

            def finish(outcome: Outcome) -> None:
                if step and tuning.candidates:
                    tuning.begin_with(called.argument("launcher", 0))
                if tuning.candidates:
                    _write(called.owner, tuning, outcome)

            try:
                return timed(called, "a kernel's configurations", finish)
            finally:
                self._tunings.pop()

        return around

    def _bench(self, called: Called) -> object:
        if not self._tunings:
            return called.go()
        tuning, launcher = self._tunings[-1], called.argument("launcher", 0)
        what = "a kernel's configuration"
        return timed(called, what, lambda outcome: tuning.add(called.owner, launcher, outcome))


def _write(owner: Any, tuning: _Tuning, outcome: Outcome) -> None:
    launcher, failure = outcome.result, outcome.failure
    # The first step gives nothing, and leaves its choice on the autotuner.
    if launcher is None and not failure:
        launcher = next(iter(getattr(owner, "launchers", ())), None)
    meta = getattr(owner, "inductor_meta", None) or {}
    named = str(meta.get("kernel_name") or "")
    is_named = bool(named) and _UNNAMED not in named
    function = getattr(owner, "fn", None)
    heuristic = str(getattr(getattr(owner, "heuristic_type", None), "name", "")).lower()
    is_users = heuristic == "user_autotune"
    compile_id = getattr(owner, "compile_id", None)
    write(
        Autotuned(
            kind="user" if is_users else "triton",
            name=named if is_named else str(getattr(function, "__name__", "")),
            how="failed" if failure else "measured",
            chosen=tuning.place(launcher),
            default=None if is_users else 0,  # further steps begin with the one they go on from
            candidates=tuple(tuning.candidates),
            compile_id=str(compile_id) if compile_id is not None else "",
            is_backward=bool(getattr(owner, "is_backward", False)),
            heuristic=heuristic,
            step=tuning.step,
            benchmark_ns=outcome.took_ns,
            error=failure,
        )
    )


def _fact(launcher: Any, name: str) -> int | None:
    value = getattr(launcher, name, None)
    return value if isinstance(value, int) and 0 <= value < _LIMIT else None


def _spilled(candidate: TriedCandidate) -> bool:
    """2.11 does not say why it leaves a configuration out: without a word it is for its spills."""
    is_unexplained = candidate.time_ns is None and candidate.failed == NOT_RUN
    return is_unexplained and bool(candidate.spills)


def _reason(owner: Any, launcher: object) -> str:
    reasons = getattr(owner, "benchmark_failure_reasons", None)
    found = reasons.get(launcher) if isinstance(reasons, Mapping) else None
    return _WORDS.get(str(getattr(found, "name", "")), "") if found is not None else ""
