"""How the processes of a session are begun, and waited for until they can be timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspector.commands.bench_workers import Bench, cores, started_reference
from inspector.model.out_of_memory import lacks_memory
from inspector.sources.worker import Worker

_CORES_TO_LOAD_AHEAD = 8
_REFERENCE_PART = 4  # of the time that a process may take until it is ready
_LEAST_REFERENCE_SECONDS = 60.0


class Starts:
    """Begins processes and waits for them.

    Args:
        bench: How they are run.
        tick: Is called while it waits.
    """

    def __init__(self, bench: Bench, tick: Callable[[], None]) -> None:
        self._bench = bench
        self._tick = tick
        self._ahead: dict[int, Worker] = {}

    def start_ahead(self, numbers: Iterable[int], start: Callable[[int], Worker]) -> None:
        """Lets processes load what they need side by side, where there are cores for that.

        They compile one after the other: how long that takes is measured.
        """
        if cores() >= _CORES_TO_LOAD_AHEAD:
            for number in numbers:
                self._ahead[number] = start(number)

    def taken(self, number: int) -> Worker | None:
        """The process of a combination that loads already, if there is one."""
        return self._ahead.pop(number, None)

    def end_ahead(self) -> bool:
        """Ends processes that have only loaded what they need; whether there were any."""
        ahead, self._ahead = self._ahead, {}
        for worker in ahead.values():
            worker.end()
        return bool(ahead)

    def reference(self, number: int) -> Worker | None:
        """Asks eager PyTorch in float64 for its results alone; it may fail.

        Of calls it may be float64 that takes long, so that they have a part of the time.

        Returns:
            The process, where it took too long to be loaded: eager PyTorch itself does nothing else
            until then, so that this is its failure, and not waited for twice; else None.

        Raises:
            InspectorError: It is the very first, and the target, or what it needs, is not there:
                eager PyTorch itself would not come further.
        """
        limit = self._bench.ready_seconds
        calls = min(limit, max(_LEAST_REFERENCE_SECONDS, limit / _REFERENCE_PART))
        worker, is_loaded, _ = self.until_ready(
            lambda: started_reference(self._bench, number), calls
        )
        worker.end()
        if worker.error is not None and not is_loaded and not number:
            raise worker.error
        return worker if worker.is_late and not is_loaded else None

    def until_ready(
        self, start: Callable[[], Worker], seconds: float | None = None
    ) -> tuple[Worker, bool, Mapping[str, Any] | None]:
        """A process, whether it has loaded what it needs, and what it says when it is ready.

        What others have loaded ahead may be what there is no memory for: then they give way.

        Args:
            start: Starts it.
            seconds: How long its calls may take, where that is less than for others.
        """
        worker = start()
        is_loaded, ready = self._wait(worker, seconds)
        if is_crowded(worker, ready) and self.end_ahead():
            worker.end()
            worker = start()
            is_loaded, ready = self._wait(worker, seconds)
        return worker, is_loaded, ready

    def _wait(self, worker: Worker, seconds: float | None) -> tuple[bool, Mapping[str, Any] | None]:
        limit = self._bench.ready_seconds
        try:
            if worker.wait("loaded", limit, self._tick) is None:
                return False, None
            worker.tell({"do": "begin"})
            return True, worker.wait("ready", limit if seconds is None else seconds, self._tick)
        except BaseException:  # Ctrl-C
            worker.end()
            raise


def is_crowded(worker: Worker, ready: Mapping[str, Any] | None) -> bool:
    """Whether a process has no memory, be it for some inputs alone."""
    return lacks_memory(worker.failure) or (ready is not None and bool(ready.get("crowded")))
