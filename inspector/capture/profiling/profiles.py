"""The profiles of a target's inputs, from the second call on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from inspector.capture.call import PreparedCall
from inspector.capture.profiling.ceilings import ceilings
from inspector.capture.profiling.graph_pools import Captured, watched_capture
from inspector.capture.profiling.in_place import (
    Attribution,
    attributed,
    count_once,
    profile_in_place,
)
from inspector.capture.profiling.memory import profile_memory
from inspector.capture.quiet import quiet
from inspector.capture.target import Target
from inspector.capture.writer import guarded, write_artifact

__all__ = ["Profiles"]

_CLOSELY = 1  # the second call: the first compiles, and with CUDA graphs the second is captured


class Profiles:
    """Watches the second call with each input closely, and measures further ones.

    Args:
        target: What is profiled.
        counters: Whether a profiler watches the process: then one warm call is marked for it.
    """

    def __init__(self, target: Target, *, counters: bool = False) -> None:
        self._target = target
        self._counters = counters
        self._attributions: dict[int, Attribution] = {}
        self._captured: dict[int, Captured] = {}
        self._memory: list[Callable[[], None]] = []

    def closely(self, index: int, number: int) -> contextlib.AbstractContextManager[None]:
        """To be entered around a call: it watches the one that shows where launches come from."""
        if number != _CLOSELY or self._counters:
            return contextlib.nullcontext()
        return self._closely(index)

    @contextlib.contextmanager
    def _closely(self, index: int) -> Iterator[None]:
        captured = self._captured.setdefault(index, Captured())
        found = self._attributions.setdefault(index, Attribution())
        with watched_capture(captured), attributed(found):
            yield

    def measure(
        self, index: int, run: Callable[[], PreparedCall], eager: Callable[[], PreparedCall]
    ) -> None:
        """Measures warm calls with an input, see `profile_in_place`."""
        if self._counters:
            count_once(run)
            return
        found = self._attributions.get(index, Attribution())
        profile_in_place(index, run, eager, found)
        captured = self._captured.get(index)
        self._memory.append(lambda: profile_memory(index, run, eager, self._target, captured))

    def finish(self) -> None:
        """Measures the memory of a call, after all that is timed, and what the machine can do.

        The latter comes last, for it heats the machine up.
        """
        if self._counters:
            return
        for measure in self._memory:
            with quiet():
                guarded("measure the memory", measure)
        guarded("measure the ceilings", lambda: write_artifact("ceilings", ceilings()))
