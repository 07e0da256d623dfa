"""Measures a program's own calls: profiles it for a moment once it has stopped compiling."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

import torch

from inspector.capture.kineto import Session, Taken
from inspector.capture.measure import mark_cost_ns, write_copy_rates, write_profile
from inspector.capture.timeline import timelines
from inspector.capture.writer import guarded

__all__ = ["WarmWindow"]

_POLL_SECONDS = 0.05
_QUIET_SECONDS = 0.4
# The profiler takes 50 µs per event to end: a window is no longer than the calls ask for.
_WINDOWS_SECONDS = (0.02, 0.1, 0.5, 2.0)
_ENOUGH_CALLS = 20
_ANSWER_SECONDS = 30.0
_MOST_TRIES = 12
_REGION = "Torch-Compiled Region"

_Pending = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class WarmWindow:
    """Waits in a thread until nothing was compiled for a while, then profiles for a moment.

    Profiles begin and end on the main thread, between two of its instructions, as a signal's
    handler would run: the profiler cannot be started anywhere else. A window in which something was
    compiled, too few calls were made, or the program profiled itself is thrown away, and another is
    tried, longer if need be; whatever fails, the program goes on.
    """

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._compiling = _Compiling()
        self._callbacks: list[Any] = []  # the interpreter keeps no reference to them
        self._thread = threading.Thread(target=self._run, name="inspector", daemon=True)

    def start(self) -> None:
        """Begins to wait."""
        self._compiling.watch()
        self._thread.start()

    def end(self) -> None:
        """Stops waiting; a window that is open is finished first."""
        self._ended.set()
        if threading.current_thread() is not self._thread and self._thread.is_alive():
            self._wait_for_end()
        self._compiling.release()

    def _wait_for_end(self) -> None:
        """Waits in small steps: between them the main thread does what the other one asks for."""
        until = time.monotonic() + _ANSWER_SECONDS
        while self._thread.is_alive() and time.monotonic() < until:
            self._thread.join(_POLL_SECONDS / 10)

    def _run(self) -> None:
        guarded("measure the program's calls", self._measure)

    def _measure(self) -> None:
        for with_device in (False, True):
            if with_device and not _has_device():
                break
            if not self._one(with_device=with_device):
                return
        write_copy_rates()

    def _one(self, *, with_device: bool) -> bool:
        lengths = list(_WINDOWS_SECONDS)
        for _ in range(_MOST_TRIES):
            if not self._is_warm():
                return False
            before = self._compiling.seen
            window = self._window(lengths[0], with_device=with_device)
            if window is None or self._compiling.seen != before:
                continue
            taken, mark_ns = window
            calls = sum(row.name.startswith(_REGION) for row in taken.host)
            if calls < _ENOUGH_CALLS and len(lengths) > 1:
                lengths.pop(0)
            elif calls:
                fields = {"input": None, "with_device": with_device, "mark_ns": mark_ns}
                write_profile(timelines(taken), fields)
                return True
        return False

    def _is_warm(self) -> bool:
        """Waits until something has been compiled and nothing any more; False at the end."""
        seen, since = self._compiling.seen, time.monotonic()
        while not self._ended.wait(_POLL_SECONDS):
            now = self._compiling.seen
            is_busy = self._compiling.is_busy or torch.autograd.profiler._is_profiler_enabled  # noqa: SLF001
            if now != seen or not now or is_busy:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > _QUIET_SECONDS:
                return True
        return False

    def _window(self, seconds: float, *, with_device: bool) -> tuple[Taken, int] | None:
        """What was seen, and what a mark cost; None if the program's own profile was in the way."""
        begun: list[tuple[Session, int]] = []

        def begin() -> None:
            if not torch.autograd.profiler._is_profiler_enabled:  # noqa: SLF001
                session = Session(with_device=with_device)
                session.start()
                begun.append((session, mark_cost_ns()))

        if not self._on_main_thread(begin) or not begun:
            return None
        session, mark_ns = begun[0]
        self._ended.wait(seconds)
        if not self._on_main_thread(session.stop):
            return None
        return session.take(), mark_ns

    def _on_main_thread(self, action: Callable[[], None]) -> bool:
        """Has something done between two instructions of the main thread; whether it was done."""
        done = threading.Event()
        errors: list[Exception] = []
        # Dynamo is to compile the program and not us.
        disabled = torch._dynamo.disable(action)  # noqa: SLF001 - torch.compiler's own function

        def callback(_argument: int | None) -> int:
            try:
                disabled()
            except Exception as error:  # noqa: BLE001 - the main thread is the program's
                errors.append(error)
            finally:
                done.set()
            return 0

        pending = _Pending(callback)
        self._callbacks.append(pending)
        ctypes.pythonapi.Py_AddPendingCall(pending, None)
        return done.wait(_ANSWER_SECONDS) and not errors


class _Compiling:
    """Whether torch is compiling; a compilation can be silent for a minute.

    Attributes:
        seen: How many compilations have begun or ended.
    """

    def __init__(self) -> None:
        self.seen = 0
        self._begun = 0
        self._ended = 0

    @property
    def is_busy(self) -> bool:
        return self._begun > self._ended

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

    def _end(self, _arguments: object) -> None:
        self._ended += 1
        self.seen += 1


def _has_device() -> bool:
    return bool(torch.cuda.is_available() and torch.cuda.is_initialized())
