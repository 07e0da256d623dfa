"""The profiles of a target's inputs, from the second call on."""

from __future__ import annotations

import contextlib
from typing import Protocol

from inspector.capture.profiling.ceilings import ceilings
from inspector.capture.profiling.in_place import (
    Attribution,
    Prepared,
    attributed,
    count_once,
    profile_in_place,
)
from inspector.capture.writer import guarded, write_artifact

__all__ = ["OneKernel", "Profiles"]

_CLOSELY = 1  # the second call: the first compiles, and with CUDA graphs the second is captured


class OneKernel(Protocol):
    """A kernel that is benchmarked alone (`inspector.capture.alone.bench.Alone`)."""

    def is_refused(self) -> bool:
        """Whether there is not just one of its name, once all is compiled."""

    def measure(self, index: int, run: Prepared) -> None:
        """Benchmarks it with the arguments that it has in a call with an input."""


class Profiles:
    """Watches the second call with each input closely, and measures further ones.

    Args:
        counters: Whether a profiler watches the process: then one warm call is marked for it.
        alone: A kernel to benchmark alone, or None.
    """

    def __init__(self, *, counters: bool = False, alone: OneKernel | None = None) -> None:
        self._counters = counters
        self._alone = alone
        self._attributions: dict[int, Attribution] = {}

    def closely(self, index: int, number: int) -> contextlib.AbstractContextManager[None]:
        """To be entered around a call: it watches the one that shows where launches come from."""
        if number != _CLOSELY or self._counters:
            return contextlib.nullcontext()
        return attributed(self._attributions.setdefault(index, Attribution()))

    def is_refused(self) -> bool:
        """Whether a kernel is asked for that is not there; to be asked once all is compiled."""
        return self._alone is not None and self._alone.is_refused()

    def measure(self, index: int, run: Prepared, eager: Prepared) -> None:
        """Measures warm calls with an input, see `profile_in_place`."""
        if self._counters:
            count_once(run)
            return
        found = self._attributions.get(index, Attribution())
        profile_in_place(index, run, eager, found)
        alone = self._alone
        if alone is not None:
            guarded("benchmark one kernel", lambda: alone.measure(index, run))

    def finish(self) -> None:
        """Measures what the machine can do: last, for it heats the machine up."""
        if self._counters:
            return
        guarded("measure the ceilings", lambda: write_artifact("ceilings", ceilings()))
