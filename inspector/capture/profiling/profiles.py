"""The profiles of a target's inputs, from the second call on."""

from __future__ import annotations

import contextlib

from inspector.capture.handler import attached_handler
from inspector.capture.profiling.ceilings import ceilings
from inspector.capture.profiling.in_place import (
    Attribution,
    Prepared,
    attributed,
    count_once,
    profile_in_place,
)
from inspector.capture.writer import guarded, write_artifact

__all__ = ["Profiles"]

_CLOSELY = 1  # the second call: the first compiles, and with CUDA graphs the second is captured


class Profiles:
    """Watches the second call with each input closely, and measures further ones.

    Args:
        counters: Whether a profiler watches the process: then one warm call is marked for it.
    """

    def __init__(self, *, counters: bool = False) -> None:
        self._counters = counters
        self._attributions: dict[int, Attribution] = {}
        if not counters:
            attached_handler().watch_autotuning()

    def closely(self, index: int, number: int) -> contextlib.AbstractContextManager[None]:
        """To be entered around a call: it watches the one that shows where launches come from."""
        if number != _CLOSELY or self._counters:
            return contextlib.nullcontext()
        return attributed(self._attributions.setdefault(index, Attribution()))

    def measure(self, index: int, run: Prepared, eager: Prepared) -> None:
        """Measures warm calls with an input, see `profile_in_place`."""
        attached_handler().end_autotuning()
        if self._counters:
            count_once(run)
            return
        found = self._attributions.get(index, Attribution())
        profile_in_place(index, run, eager, found)

    def finish(self) -> None:
        """Measures what the machine can do: last, for it heats the machine up."""
        if self._counters:
            return
        guarded("measure the ceilings", lambda: write_artifact("ceilings", ceilings()))
