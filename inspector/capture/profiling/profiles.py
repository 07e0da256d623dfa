"""The profiles of a target's inputs, from the first call on that compiles nothing."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import torch

from inspector.capture.calls.back_to_back import BackToBack
from inspector.capture.profiling.allocations import Captured, has_cuda_graphs, watched_capture
from inspector.capture.profiling.ceilings import ceilings
from inspector.capture.profiling.device import uses_cuda
from inspector.capture.profiling.in_place import (
    Attribution,
    attributed,
    count_once,
    profile_in_place,
    replays_attributed,
)
from inspector.capture.profiling.machine.device_state import device_state, others_percent
from inspector.capture.profiling.machine.gpu import uuid_of
from inspector.capture.profiling.memory import profile_memory
from inspector.capture.profiling.plan import SECONDS
from inspector.capture.quiet import quiet
from inspector.capture.recording.handler import attached_handler
from inspector.capture.target.call import PreparedCall, arguments_of
from inspector.capture.target.target import Target
from inspector.capture.writer import emit, guarded
from inspector.records.ceilings import DeviceState


class Profiles:
    """Watches one warm call with each input closely, and measures further ones.

    Args:
        counters: Whether a profiler watches the process: then one warm call is marked for it.
        seconds: About how long calls with each input are timed, or None.
    """

    def __init__(
        self,
        target: Target,
        *,
        counters: bool = False,
        fresh_ceilings: bool = False,
        seconds: float | None = None,
    ) -> None:
        self._target = target
        self._counters = counters
        self._fresh_ceilings = fresh_ceilings
        self._seconds = seconds or SECONDS
        self._attributions: dict[int, Attribution] = {}
        self._captured: dict[int, Captured] = {}
        self._memory: list[Callable[[], None]] = []
        if not counters:
            attached_handler().watch_autotuning()

    def capturing(self, index: int) -> contextlib.AbstractContextManager[None]:
        """To be entered around calls that may capture CUDA graphs: the memory of these is watched.

        What the last one of an input shows counts.
        """
        if self._counters:
            return contextlib.nullcontext()
        captured = self._captured[index] = Captured()
        return watched_capture(captured)

    def closely(self, index: int) -> contextlib.AbstractContextManager[None]:
        """To be entered around a warm call: it shows where launches come from."""
        if self._counters:
            return contextlib.nullcontext()
        found = self._attributions[index] = Attribution()
        return attributed(found, self._target.function)

    def has_replays(self) -> bool:
        """Whether a further call is to be watched, within `around_replays`."""
        return not self._counters and has_cuda_graphs()

    def around_replays(self, index: int) -> contextlib.AbstractContextManager[None]:
        """To be entered around a call after that of `closely`, with the same input."""
        return replays_attributed(self._attributions[index])

    def measure(
        self,
        index: int,
        run: Callable[[], PreparedCall],
        eager: Callable[[], PreparedCall],
        back_to_back: BackToBack,
    ) -> None:
        """Measures warm calls with an input, see `profile_in_place`."""
        attached_handler().end_autotuning()
        if self._counters:
            count_once(run)
            return
        found = self._attributions.get(index, Attribution())
        with _gpu_watched(index) if uses_cuda() else contextlib.nullcontext():
            arguments = arguments_of(self._target.calls[index])
            profile_in_place(index, (run, eager), found, arguments, self._seconds)
        captured = self._captured.get(index)
        self._memory.append(lambda: profile_memory(index, run, eager, self._target, captured))
        back_to_back.end()  # no copy of the input lies beside what memory is measured of

    def finish(self) -> None:
        """Measures the memory of a call, after all that is timed, and what the machine can do.

        The latter comes last, for it heats the machine up.
        """
        if self._counters:
            return
        for measure in self._memory:
            with quiet():
                guarded("measure memory", measure)
        guarded("measure the ceilings", lambda: emit(ceilings(fresh=self._fresh_ceilings)))


@contextlib.contextmanager
def _gpu_watched(index: int) -> Iterator[None]:
    """Writes in which state the driver says the GPU is: a profile of a slow one lies.

    The driver is not asked in between, which would take the host's time from the calls: it counts
    itself for how long it held the clocks back. What others do shows while nothing is done here:
    before the first input, and behind each.
    """
    uuid = uuid_of(torch.device("cuda"))
    others = [] if index else [others_percent(uuid)]
    before, _ = device_state(uuid)
    begun_ns = time.monotonic_ns()
    try:
        yield
    finally:
        after, missing = device_state(uuid)
        elapsed_ns = time.monotonic_ns() - begun_ns
        with contextlib.suppress(RuntimeError):  # a kernel failed, and what is measured says so
            torch.cuda.synchronize()
        others.append(others_percent(uuid))
        most = max((number for number in others if number is not None), default=None)
        state = DeviceState(index, before, after, elapsed_ns, missing, most)
        guarded("write the device state", lambda: emit(state))
