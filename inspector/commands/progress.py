"""One line on standard error that says what is being done now."""

from __future__ import annotations

import sys

from inspector.builder.run import Progress
from inspector.findings.escaping import one_line
from inspector.findings.wording import count

_FIRST_AFTER_NS = 500_000_000


class ProgressLine:
    """Shows counts and elapsed time; silent where standard error is no terminal."""

    def __init__(self, *, enabled: bool, what: str, doing: str = "") -> None:
        self._shown = False
        self._what = what
        self._doing = doing
        self._status = None
        if enabled and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")

    def update(self, progress: Progress, elapsed_ns: int) -> None:
        """Takes what has been seen so far."""
        if self._status is None or elapsed_ns < _FIRST_AFTER_NS:
            return
        if not self._shown:
            self._shown = True
            self._status.start()
        from rich.text import Text

        self._status.update(Text(self._line(progress, elapsed_ns)))

    def close(self) -> None:
        """Takes the line away."""
        if self._status is not None and self._shown:
            self._status.stop()

    def _line(self, progress: Progress, elapsed_ns: int) -> str:
        if progress.doing:
            doing = f"compiling {progress.doing}"
        else:
            doing = f"running {self._what}" if progress.frames else f"loading {self._what}"
        counts = (
            count(progress.frames, "frame"),
            count(progress.graphs, "graph"),
            count(progress.graph_breaks, "graph break"),
        )
        before = (one_line(self._doing),) if self._doing else ()
        return " · ".join((*before, one_line(doing), *counts, f"{elapsed_ns / 1e9:.0f} s"))
