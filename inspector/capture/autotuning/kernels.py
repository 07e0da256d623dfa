"""Observes how the configuration of a Triton kernel is found, when it first runs.

``CachingAutotuner`` (torch/_inductor/runtime/triton_heuristics.py, 2.11 and 2.13) does it for
kernels in compiled graphs: it times the configurations, and may go on from the best one coordinate
by coordinate. ``triton.runtime.autotuner.Autotuner`` (Triton 3.6 to 3.9) does it for the program's
own kernels outside of them: it asks `prune_configs` for what to try and times each with `_bench`.
None of what is watched is called for a kernel that is warm.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from inspector.capture.autotuning.templates import NOT_RUN, TemplateObserver, fastest, timed_as
from inspector.capture.hooks import Around, Called, Hooks, Outcome, timed
from inspector.capture.writer import emit, guarded
from inspector.records.autotuning import Autotuned, TriedCandidate

_SPILLED = "spills too many registers"
_WORDS = {"REGISTER_SPILLING": _SPILLED, "INVALID_CONFIG": "rejected by the device"}
_NOT_COMPILED = "Triton cannot compile it, or the device lacks a required resource"
_UNNAMED = "DESCRIPTIVE_NAME"  # what stands for a name in a kernel that is only timed


def config_text(config: Any) -> str:
    """A Triton kernel's configuration: ``XBLOCK=256, num_warps=4, num_stages=1``."""
    parts = {str(name): value for name, value in dict(config.kwargs).items()}
    usual = {"num_warps": None, "num_stages": None, "num_ctas": 1, "maxnreg": None}
    for name, default in usual.items():
        value = getattr(config, name, None)
        if value not in {None, default}:
            parts[name] = value
    return ", ".join(f"{name}={value}" for name, value in parts.items())


@dataclasses.dataclass(slots=True)
class _Tuning:
    """What is being tried for one generated kernel in one step (`TriedCandidate.step`)."""

    step: str
    candidates: list[TriedCandidate] = dataclasses.field(default_factory=list)

    def candidate(self, launcher: Any) -> TriedCandidate:
        return TriedCandidate(text=config_text(launcher.config), kind="config", step=self.step)

    def add(self, owner: Any, launcher: Any, outcome: Outcome) -> None:
        reasons = getattr(owner, "benchmark_failure_reasons", None)
        reason = reasons.get(launcher) if isinstance(reasons, Mapping) else None
        candidate = dataclasses.replace(
            self.candidate(launcher),
            spent_ns=outcome.took_ns,
            failed=outcome.failure or _WORDS.get(str(getattr(reason, "name", "")), ""),
            registers=getattr(launcher, "n_regs", None),
            spills=getattr(launcher, "n_spills", None),
        )
        candidate = timed_as(candidate, outcome.result)
        # 2.11 does not say why it leaves a configuration out: without a word it is for its spills.
        is_unexplained = candidate.time_ns is None and candidate.failed == NOT_RUN
        if candidate.failed == _SPILLED or (is_unexplained and candidate.spills):
            spills = "?" if candidate.spills is None else candidate.spills
            candidate = dataclasses.replace(candidate, failed=f"{_SPILLED} ({spills})")
        self.candidates.append(candidate)


class KernelTuningObserver(Hooks):
    """Writes ``inspector_autotuned`` for each kernel of which more than one configuration ran."""

    def __init__(self) -> None:
        super().__init__()
        self._local = threading.local()

    def watch(self) -> None:
        """Begins to observe: Inductor has been imported."""
        from torch._inductor.runtime import triton_heuristics

        owner = triton_heuristics.CachingAutotuner
        self.put(owner, "autotune_to_one_config", self._around(""))
        self.put(owner, "coordinate_descent_tuning", self._around("descent"))
        self.put(owner, "_combo_sequential_autotune", self._around("combo"))
        self.put(owner, "bench", self._bench)

    @property
    def _tunings(self) -> list[_Tuning]:
        tunings: list[_Tuning] = self._local.__dict__.setdefault("tunings", [])
        return tunings

    def _around(self, step: str) -> Around:
        def around(called: Called) -> object:
            tuning = _Tuning(step)
            self._tunings.append(tuning)

            def finish(outcome: Outcome) -> None:
                if not tuning.candidates:
                    return
                if step:  # it goes on from a launcher that it may not have timed again
                    first = tuning.candidate(called.argument("launcher", 0))
                    if first.text not in {item.text for item in tuning.candidates}:
                        tuning.candidates.insert(0, first)
                _write_generated(called.owner, tuning, outcome)

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


def _write_generated(owner: Any, tuning: _Tuning, outcome: Outcome) -> None:
    launcher = outcome.result
    # The first step gives nothing, and leaves its choice on the autotuner.
    if launcher is None and not outcome.failure:
        launcher = next(iter(getattr(owner, "launchers", ())), None)
    chosen = "" if launcher is None else config_text(launcher.config)
    meta = getattr(owner, "inductor_meta", None) or {}
    name = str(meta.get("kernel_name") or "")
    function = getattr(owner, "fn", None)
    heuristic = str(getattr(getattr(owner, "heuristic_type", None), "name", "")).lower()
    is_users = heuristic == "user_autotune"
    compile_id = getattr(owner, "compile_id", None)
    emit(
        Autotuned(
            kind="user" if is_users else "triton",
            name=name if name and _UNNAMED not in name else str(getattr(function, "__name__", "")),
            how="failed" if outcome.failure else "measured",
            chosen=next((at for at, c in enumerate(tuning.candidates) if c.text == chosen), None),
            default=None if is_users else 0,  # further steps begin with the one they go on from
            candidates=tuple(tuning.candidates),
            compile_id=str(compile_id) if compile_id is not None else "",
            is_backward=bool(getattr(owner, "is_backward", False)),
            heuristic=heuristic,
            step=tuning.step,
            benchmark_ns=outcome.took_ns,
            error=outcome.failure,
        )
    )


@dataclasses.dataclass(slots=True)
class _UserTuning:
    expected: int
    begun_ns: int
    candidates: list[TriedCandidate] = dataclasses.field(default_factory=list)


class UserTuningObserver(Hooks):
    """Writes ``inspector_autotuned`` for each kernel of the program's own that Triton tunes."""

    def __init__(self) -> None:
        super().__init__()
        self._tunings: dict[int, _UserTuning] = {}

    def watch(self) -> None:
        """Begins to observe: Triton has been imported."""
        from triton.runtime.autotuner import Autotuner

        self.put(Autotuner, "prune_configs", self._prune)
        self.put(Autotuner, "_bench", self._bench)

    def release(self) -> None:
        """Ends observing."""
        super().release()
        self._tunings.clear()

    def _prune(self, called: Called) -> object:
        configs = called.go()
        if isinstance(configs, Sequence) and len(configs) > 1:
            self._tunings[id(called.owner)] = _UserTuning(len(configs), time.perf_counter_ns())
        return configs

    def _bench(self, called: Called) -> object:
        if id(called.owner) not in self._tunings:
            return called.go()
        what = "a configuration of a user-defined kernel"
        return timed(called, what, lambda outcome: self._add(called, outcome))

    def _add(self, called: Called, outcome: Outcome) -> None:
        """Takes a time in ms or its quantiles, the median first; writes after the last one."""
        owner, failure, result = called.owner, outcome.failure, outcome.result
        tuning = self._tunings[id(owner)]
        candidate = TriedCandidate(text=config_text(called.kwargs.get("config")), kind="config")
        time_ms = next(iter(result), None) if isinstance(result, Sequence) else result
        candidate = timed_as(candidate, time_ms, failure or _NOT_COMPILED)
        tuning.candidates.append(dataclasses.replace(candidate, spent_ns=outcome.took_ns))
        if len(tuning.candidates) < tuning.expected and not failure:
            return
        del self._tunings[id(owner)]
        function = getattr(owner, "base_fn", None)
        code = getattr(function, "__code__", None)
        emit(
            Autotuned(
                kind="user",
                name=str(getattr(function, "__name__", "")),
                how="failed" if failure else "measured",
                chosen=None if failure else fastest(tuning.candidates),
                candidates=tuple(tuning.candidates),
                benchmark_ns=time.perf_counter_ns() - tuning.begun_ns,
                is_outside=True,
                file=getattr(code, "co_filename", ""),
                line=getattr(code, "co_firstlineno", 0),
            )
        )


_Observer: TypeAlias = TemplateObserver | UserTuningObserver | KernelTuningObserver


class AutotuneObserver:
    """Writes ``inspector_autotuned``; it changes neither what is generated nor what is chosen."""

    def __init__(self) -> None:
        self._templates = TemplateObserver()
        self._missing: dict[str, _Observer] = {
            "triton.runtime.autotuner": UserTuningObserver(),
            "torch._inductor.select_algorithm": self._templates,
            "torch._inductor.runtime.triton_heuristics": KernelTuningObserver(),
        }
        self._watched: list[_Observer] = []

    def watch(self) -> None:
        """Begins to observe what has been imported by now; to be called again later.

        Nothing is imported here: whoever does not tune must not pay for it.
        """
        for name in [name for name in self._missing if name in sys.modules]:
            observer = self._missing.pop(name)
            self._watched.append(observer)
            guarded("watch autotuning", observer.watch)

    def flush(self) -> None:
        """Writes what was decided for the graph whose code has just been generated."""
        guarded("write autotuning results", self._templates.flush)

    def release(self) -> None:
        """Ends observing, for good."""
        for observer in self._watched:
            guarded("stop observing autotuning", observer.release)
        self._watched, self._missing = [], {}
