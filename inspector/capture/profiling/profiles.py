"""The profiles of a target's inputs, from the second call on."""

from __future__ import annotations

import contextlib

from inspector.capture.profiling.ceilings import ceilings
from inspector.capture.profiling.in_place import (
    Attribution,
    Prepared,
    attributed,
    profile_in_place,
)
from inspector.capture.writer import guarded, write_artifact

__all__ = ["Profiles"]

_CLOSELY = 1  # the second call: the first compiles, and with CUDA graphs the second is captured


class Profiles:
    """Watches the second call with each input closely, and measures further ones."""

    def __init__(self) -> None:
        self._attributions: dict[int, Attribution] = {}

    def closely(self, index: int, number: int) -> contextlib.AbstractContextManager[None]:
        """To be entered around a call: it watches the one that shows where launches come from."""
        if number != _CLOSELY:
            return contextlib.nullcontext()
        return attributed(self._attributions.setdefault(index, Attribution()))

    def measure(self, index: int, run: Prepared, eager: Prepared) -> None:
        """Measures warm calls with an input, see `profile_in_place`."""
        found = self._attributions.get(index, Attribution())
        profile_in_place(index, run, eager, found)

    def finish(self) -> None:
        """Measures what the machine can do: last, for it heats the machine up."""
        guarded("measure the ceilings", lambda: write_artifact("ceilings", ceilings()))
