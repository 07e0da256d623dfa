"""Measures a program's own calls: profiles it for a moment once it has stopped compiling."""

from __future__ import annotations

import collections
import contextlib
import functools
import threading
import time
from collections.abc import Callable

import torch
from torch.autograd import profiler

from inspector.capture.calls.calling import has_device
from inspector.capture.timeline.measure import mark_cost_ns, write_copy_rates
from inspector.capture.timeline.profiler_lock import ProfilerLock
from inspector.capture.timeline.timeline import with_timeline
from inspector.capture.timeline.trace import Session, Trace, traced
from inspector.capture.writer import emit, guarded
from inspector.records.timeline import CallProfile

_POLL_SECONDS = 0.05
_QUIET_SECONDS = 0.4
_WINDOWS_SECONDS = (0.02, 0.1, 0.5, 2.0)
_ENOUGH_CALLS = 20
# To end a profile takes up to 20 µs per event, and each takes some hundred bytes until then.
_MOST_EVENTS = 20_000
_ANSWER_SECONDS = 30.0
_MOST_TRIES = 12
# An open span of which nothing was heard for so long has ended without saying so.
_SILENT_SECONDS = 120.0
_REGION = "Torch-Compiled Region"
# Larger copies would show in how much memory the program took.
_MOST_COPIED_BYTES = 1 << 24


class WarmWindow:
    """Waits in a thread until nothing was compiled for a while, then profiles for a moment.

    All of it happens on that thread, whatever the program's own threads do; only the process's
    first profile, of nothing, begins where the program compiles (`prime`), because the profiler
    wants that to be the thread that imported torch. A window in which something was compiled or too
    few calls were made is thrown away, and another is tried, longer if the program's events allow
    it. The program's own profiles, and its forks, end a window first.
    """

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._turn = ProfilerLock()
        self._compiling = _Compiling(self._turn.interrupt)
        self.saw = self._compiling.saw
        self._is_primed = False
        self._is_measured = False
        run = functools.partial(guarded, "measure the program's calls", self._measure)
        self._thread = threading.Thread(target=run, name="inspector", daemon=True)

    def start(self) -> None:
        """Begins to wait."""
        self._compiling.watch()
        self._turn.watch()
        self._thread.start()

    def prime(self) -> None:
        """Begins and ends the first profile of the process, where that is possible."""
        is_main = threading.current_thread() is threading.main_thread()
        if self._is_primed or not is_main or profiler._is_profiler_enabled:  # noqa: SLF001
            return
        session = Session(with_device=False)
        session.start()
        session.stop()
        self._is_primed = True

    def end(self) -> None:
        """Stops waiting; a window that is open is ended first."""
        self._ended.set()
        self._turn.take_away()
        if threading.current_thread() is not self._thread:
            self._thread.join(_ANSWER_SECONDS)
        self._turn.release()
        self._compiling.release()
        if self._is_measured:  # here, where the program has come to an end: it takes memory
            guarded("measure memory", lambda: write_copy_rates(_MOST_COPIED_BYTES))

    def _measure(self) -> None:
        for with_device in (False, True):
            if with_device and not has_device():
                break
            if not self._one(with_device=with_device):
                return
            self._is_measured = True

    def _one(self, *, with_device: bool) -> bool:
        lengths = list(_WINDOWS_SECONDS)
        for _ in range(_MOST_TRIES):
            before = self._warm()
            if before is None:
                return False
            window = self._window(lengths[0], before, with_device=with_device)
            if window is None or self._compiling.seen != before:
                continue
            trace, mark_ns, seconds = window
            calls = sum(row.name.startswith(_REGION) for row in trace.host)
            events_per_s = len(trace.host) / seconds
            while len(lengths) > 1 and calls < _ENOUGH_CALLS and not self._ended.is_set():
                lengths.pop(0)
                if events_per_s * lengths[0] <= _MOST_EVENTS:
                    break
            else:
                if calls:
                    found = CallProfile(with_device=with_device, mark_ns=mark_ns)
                    emit(with_timeline(found, trace))
                return bool(calls)
        return False

    def _warm(self) -> int | None:
        """Waits until nothing is compiled any more; gives `_Compiling.seen`, or None at the end."""
        seen, since = self._compiling.seen, time.monotonic()
        while not self._ended.wait(_POLL_SECONDS):
            now = self._compiling.seen
            is_busy = self._compiling.is_busy or profiler._is_profiler_enabled  # noqa: SLF001
            if now != seen or not now or is_busy or not self._is_primed:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > _QUIET_SECONDS:
                return seen
        return None

    def _window(
        self, seconds: float, before: int, *, with_device: bool
    ) -> tuple[Trace, int, float] | None:
        """What was seen, what a mark cost, and how long it took; None if it was cut short."""
        with self._turn as is_ours:
            if not is_ours or profiler._is_profiler_enabled:  # noqa: SLF001
                return None
            # From here on whatever begins waits for the turn's end; what began before is seen here.
            if self._compiling.seen != before or self._compiling.is_busy:
                return None
            with traced(with_device=with_device) as seen:
                began = time.monotonic()
                mark_ns = mark_cost_ns()
                was_cut = self._turn.wait(seconds)
                took = time.monotonic() - began
        if was_cut and not self._ended.is_set():
            return None  # what the program did then is its own affair
        return seen.trace, mark_ns, took


class _Compiling:
    """Whether torch is compiling or tuning; either can be silent for a minute.

    Attributes:
        seen: How often something has begun, ended, or been said in between.
    """

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self.seen = 0
        self._begun = 0
        self._ended = 0
        self._open_spans: collections.Counter[object] = collections.Counter()
        self._last_said = 0.0
        self._interrupt = interrupt

    @property
    def is_busy(self) -> bool:
        # Torch leaves out the ends of spans that overlap.
        is_open = self._open_spans.total() > 0
        is_spoken_of = time.monotonic() - self._last_said < _SILENT_SECONDS
        return self._begun > self._ended or (is_open and is_spoken_of)

    def saw(self, phase: str = "", span: object = None) -> None:
        """Takes a record of torch's trace, of a span with its phase, ``B`` or ``E``.

        Autotuning comes after compiling, with a call. It would be measured together with the
        profiler, and take another configuration.
        """
        self.seen += 1
        self._last_said = time.monotonic()
        if phase == "B":
            self._open_spans[span] += 1
            self._interrupt()
        elif phase == "E" and self._open_spans[span]:
            self._open_spans[span] -= 1

    def watch(self) -> None:
        torch._dynamo.on_compile_start(self._begin)  # noqa: SLF001 - torch's public callbacks
        torch._dynamo.on_compile_end(self._end)  # noqa: SLF001

    def release(self) -> None:
        handler = torch._dynamo.callback_handler  # noqa: SLF001
        with contextlib.suppress(ValueError):  # torch._dynamo.reset() has taken them away
            handler.remove_start_callback(self._begin)
            handler.remove_end_callback(self._end)

    def _begin(self, _arguments: object) -> None:
        self._begun += 1
        self.seen += 1
        self._interrupt()

    def _end(self, _arguments: object) -> None:
        self._ended += 1
        self.seen += 1
