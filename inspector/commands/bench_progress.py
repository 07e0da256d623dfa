"""One line on standard error: what is being done, how much of it is done, how long it may take."""

from __future__ import annotations

import sys
import time

from inspector.findings.escaping import one_line
from inspector.findings.wording import duration


class BenchProgress:
    """Shows the line; silent where standard error is no terminal."""

    def __init__(self, *, enabled: bool, processes: int, doing: str = "") -> None:
        self._processes = processes
        self._begun = 0
        self._before = f"{one_line(doing)} · " if doing else ""
        self._doing = ""
        self._began = time.monotonic()
        self._status = None
        if enabled and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            self._status.start()

    def begin(self, doing: str, *, counts: bool = True) -> None:
        """Says what is done now.

        Args:
            doing: What.
            counts: Whether it is one of those that are counted.
        """
        self._begun += counts
        self._doing = doing
        self.tick()

    def leave_out(self, processes: int) -> None:
        """Takes note that there are so many processes less."""
        self._processes -= processes

    def tick(self) -> None:
        """Shows how much time has gone by."""
        if self._status is None:
            return
        from rich.text import Text

        self._status.update(Text(self._line()))

    def close(self) -> None:
        """Takes the line away."""
        if self._status is not None:
            self._status.stop()

    def _line(self) -> str:
        elapsed = time.monotonic() - self._began
        done = max(0, self._begun - 1)
        left = ""
        if done:
            rest_ns = round(1e9 * elapsed / done * (self._processes - done))
            left = f" · about {duration(rest_ns)} left"
        begun = min(self._begun, self._processes)
        place = f"{self._before}process {begun} of {self._processes}"
        return f"{place} · {one_line(self._doing)} · {elapsed:.0f} s{left}"
