"""A clock that stands still while the recorder makes this process stand still."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

# Written by `inspector.sources.worker` before it wakes this process up; there from the beginning,
# if that is going to happen.
_FILE = "stood_still_ns"


class AwakeClock:
    """The clock of a process that others make stand still while they are timed.

    Args:
        folder: The folder of this process, into which the recorder writes for how long.
    """

    def __init__(self, folder: Path) -> None:
        file = folder / _FILE
        self._file = file if file.exists() else None

    def now_ns(self, clock: Callable[[], int] = time.perf_counter_ns) -> int:
        """What a clock says, in ns, without what this process has stood still.

        Args:
            clock: One that goes on meanwhile.
        """
        if self._file is None:
            return clock()
        while True:
            before_ns = self.stood_still_ns()
            now_ns = clock()
            if self.stood_still_ns() == before_ns:  # else it stood still between the two
                return now_ns - before_ns

    def stood_still_ns(self) -> int:
        """For how long this process has stood still until now."""
        return int(self._file.read_text("ascii")) if self._file is not None else 0
