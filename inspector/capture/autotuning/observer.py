"""Observes all autotuning of a process, from its first compilation to its first measurement."""

from __future__ import annotations

import sys
from typing import TypeAlias

from inspector.capture.autotuning.kernels import KernelTuningObserver, UserTuningObserver
from inspector.capture.autotuning.templates import TemplateObserver
from inspector.capture.writer import guarded

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
