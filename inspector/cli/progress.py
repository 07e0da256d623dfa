"""One line on standard error that says what is being done now."""

import sys
import time
from typing import Self

from inspector.report.escaping import one_line
from inspector.report.wording import count, duration
from inspector.run.folding.run import Progress

_FIRST_AFTER_SECONDS = 0.5


class StatusLine:
    """The line, once it takes a moment; silent where standard error is no terminal."""

    def __init__(self, *, enabled: bool) -> None:
        self._began = time.monotonic()
        self._shown = False
        self._status = None
        if enabled and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")

    @property
    def seconds(self) -> float:
        """Since its begin."""
        return time.monotonic() - self._began

    def show(self, text: str) -> None:
        """Replaces what it says."""
        if self._status is None or self.seconds < _FIRST_AFTER_SECONDS:
            return
        if not self._shown:
            self._shown = True
            self._status.start()
        from rich.text import Text

        self._status.update(Text(one_line(text)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Takes the line away."""
        if self._status is not None and self._shown:
            self._status.stop()


def recording_text(progress: Progress, elapsed_ns: int, target: str, doing: str) -> str:
    """``compiling forward · 3 frames · 2 graphs · 1 graph break · 4 s``."""
    if progress.doing:
        now = f"compiling {progress.doing}"
    else:
        now = f"{'running' if progress.frames else 'loading'} {target}"
    counts = (
        count(progress.frames, "frame"),
        count(progress.graphs, "graph"),
        count(progress.graph_breaks, "graph break"),
    )
    return " · ".join((*filter(None, (doing, now)), *counts, f"{elapsed_ns / 1e9:.0f} s"))


class BenchProgress(StatusLine):
    """How many processes of a bench are done, and how long the others may take if none fails."""

    def __init__(self, *, enabled: bool, processes: int, doing: str = "") -> None:
        super().__init__(enabled=enabled)
        self._processes = processes
        self._begun = 0
        self._before = f"{doing} · " if doing else ""
        self._doing = ""

    def begin(self, doing: str, *, counts: bool = True) -> None:
        """Says what is done now, and whether it is one of the processes that are counted."""
        self._begun += counts
        self._doing = doing
        self.tick()

    def tick(self) -> None:
        """Shows how much time has gone by."""
        seconds, done = self.seconds, max(0, self._begun - 1)
        left = ""
        if done:
            rest_ns = round(1e9 * seconds / done * max(0, self._processes - done))
            left = f" · about {duration(rest_ns)} left"
        begun = min(self._begun, self._processes)
        place = f"{self._before}process {begun} of {self._processes}"
        self.show(f"{place} · {self._doing} · {seconds:.0f} s{left}")
