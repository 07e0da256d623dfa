"""Observes how the configuration of a generated Triton kernel is found, when it first runs.

``CachingAutotuner`` (torch/_inductor/runtime/triton_heuristics.py, 2.11 and 2.13) times its
configurations, may go on from the best one coordinate by coordinate, and never does so again: what
is watched here is not called for a kernel that is warm.
"""

from __future__ import annotations

import dataclasses
import threading
import weakref
from collections.abc import Mapping
from typing import Any

from inspector.capture.autotuning.tried import NOT_RUN, Candidate, Tried, config_text
from inspector.capture.hooks import Around, Called, Hooks, Outcome, timed
from inspector.capture.writer import guarded

_FACTS = (("registers", "n_regs"), ("spills", "n_spills"), ("shared_bytes", "shared"))
_SPILLED = "too many registers are spilled"
_WORDS = {
    "REGISTER_SPILLING": _SPILLED,
    "INVALID_CONFIG": "the device refuses it",
}
_LIMIT = 1 << 62
_UNNAMED = "DESCRIPTIVE_NAME"  # what stands for a name in a kernel that is only timed


@dataclasses.dataclass(slots=True)
class _Tuning:
    """What is being tried for one kernel in one step (`Candidate.step`), and its launchers."""

    step: str
    candidates: list[Candidate] = dataclasses.field(default_factory=list)
    launchers: list[Any] = dataclasses.field(default_factory=list)

    def begin_with(self, launcher: Any) -> None:  # noqa: ANN401
        """Puts what it goes on from first, where that has not been timed once more."""
        text = config_text(launcher.config)
        if text not in {item.text for item in self.candidates}:
            self.candidates.insert(0, Candidate(text=text, step=self.step))
            self.launchers.insert(0, launcher)

    def add(self, owner: Any, launcher: Any, outcome: Outcome) -> None:  # noqa: ANN401
        """Takes the time of a launcher, in ms, or why it has none."""
        text = config_text(launcher.config)
        candidate = Candidate(text=text, step=self.step, spent_ns=outcome.took_ns)
        candidate.failed = outcome.failure or _reason(owner, launcher)
        candidate.timed(outcome.result)
        for name, attribute in _FACTS:
            value = getattr(launcher, attribute, None)
            if isinstance(value, int) and 0 <= value < _LIMIT:
                candidate.facts[name] = value
        if candidate.failed == _SPILLED or _spilled(candidate):
            candidate.failed = f"{_SPILLED} ({candidate.facts.get('spills', '?')})"
        self.candidates.append(candidate)
        self.launchers.append(launcher)


class KernelTuningObserver(Hooks):
    """Writes ``inspector_autotuned`` for each kernel of which more than one configuration ran."""

    def __init__(self) -> None:
        super().__init__()
        self._local = threading.local()
        # Autotuners are pickled into caches: nothing is left on them.
        self._scaled: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def watch(self) -> None:
        """Begins to observe."""
        from torch._inductor.runtime import triton_heuristics

        owner = triton_heuristics.CachingAutotuner
        self.put(owner, "autotune_to_one_config", self._around(""))
        self.put(owner, "coordinate_descent_tuning", self._around("descent"))
        self.put(owner, "_combo_sequential_autotune", self._around("combo"))
        self.put(owner, "_dynamic_scale_rblock", self._scale)
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
                self._finish(called.owner, tuning, outcome)

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

    def _scale(self, called: Called) -> object:
        owner = called.owner
        before = len(getattr(owner, "compile_results", ()))
        result = called.go()
        added = len(getattr(owner, "compile_results", ())) - before
        if added > 0:
            guarded(
                "configurations with smaller blocks", lambda: self._scaled.update({owner: added})
            )
        return result

    def _finish(self, owner: Any, tuning: _Tuning, outcome: Outcome) -> None:  # noqa: ANN401
        if not tuning.candidates:
            return
        launcher, failure = outcome.result, outcome.failure
        # The first step gives nothing, and leaves its choice on the autotuner.
        if launcher is None and not failure:
            launcher = next(iter(getattr(owner, "launchers", ())), None)
        meta = getattr(owner, "inductor_meta", None) or {}
        function = getattr(owner, "fn", None)
        named = str(meta.get("kernel_name") or "")
        is_named = bool(named) and _UNNAMED not in named
        name = named if is_named else str(getattr(function, "__name__", ""))
        heuristic = str(getattr(getattr(owner, "heuristic_type", None), "name", "")).lower()
        is_users = heuristic == "user_autotune"
        tried = Tried("user" if is_users else "triton", name, tuning.candidates)
        tried.how = "failed" if failure else "measured"
        tried.default = None if is_users else 0  # further steps begin with the one they go on from
        chosen = [at for at, item in enumerate(tuning.launchers) if item is launcher]
        tried.chosen = chosen[-1] if chosen else _same(tuning, launcher)
        info = getattr(owner, "autotune_cache_info", None) or {}
        compile_id = getattr(owner, "compile_id", None)
        tried.fields = {
            "compile_id": str(compile_id) if compile_id is not None else "",
            "is_backward": bool(getattr(owner, "is_backward", False)),
            "heuristic": heuristic,
            "step": tuning.step,
            "listed": info.get("num_configs"),
            "scaled": self._scaled.get(owner, 0),
            "benchmark_ns": outcome.took_ns,
            # Where it was compiled in a worker, torch keeps how to load it here.
            "in_workers": hasattr(owner, "_reload_kernel"),
            "error": failure,
        }
        tried.write()


def _same(tuning: _Tuning, launcher: Any) -> int | None:  # noqa: ANN401
    """Which candidate has a launcher's configuration: it may have been made anew."""
    config = getattr(launcher, "config", None)
    if config is None:
        return None
    text = config_text(config)
    return next((at for at, item in enumerate(tuning.candidates) if item.text == text), None)


def _spilled(candidate: Candidate) -> bool:
    """2.11 does not say why it leaves a configuration out: without a word it is for its spills."""
    is_unexplained = candidate.time_ns is None and candidate.failed == NOT_RUN
    return is_unexplained and candidate.facts.get("spills", 0) > 0


def _reason(owner: Any, launcher: object) -> str:  # noqa: ANN401
    reasons = getattr(owner, "benchmark_failure_reasons", None)
    found = reasons.get(launcher) if isinstance(reasons, Mapping) else None
    return _WORDS.get(str(getattr(found, "name", "")), "") if found is not None else ""
