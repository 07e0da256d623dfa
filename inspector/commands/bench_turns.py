"""Models load and compile side by side, and are timed one at a time: all others stand still."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Iterator
from typing import Protocol, TypeVar


class Process(Protocol):
    """What `Turns` need of a process (`inspector.sources.worker.Worker`)."""

    @property
    def is_there(self) -> bool:
        """Whether it has not ended."""

    def stand_still(self) -> None:
        """Stops it."""

    def go_on(self) -> None:
        """Wakes it up, if it stands still."""

    def interrupt(self) -> None:
        """Wakes it up, and ends it as Ctrl-C does."""


# Programs have time-outs of their own, which do not stand still: Inductor's probe of the CPU gives
# up after 60 s (torch/_inductor/cpu_vec_isa.py, 2.11 to 2.13). After a turn of 12 s they have 3 s.
_AWAKE_SHARE = 0.25
_TICK_SECONDS = 0.2

_Process = TypeVar("_Process", bound=Process)


class Turns:
    """Turns of sessions that are at work at the same time.

    What the recorder does itself cannot be stopped: it waits for whoever is timed, and whoever
    wants to be timed waits for it, but comes before what has not begun.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._processes: list[Process] = []
        self._working = 0
        self._waiting = 0
        self._making = 0
        # Until when whoever makes something ready is awake, by `time.monotonic`.
        self._awake_until = 0.0
        self._is_alone = False
        self._is_stopped = False
        self._why: tuple[object, ...] = ()

    def stop(self, error: KeyboardInterrupt | None = None) -> None:
        """Ends all processes, and all sessions, each at its next `check`.

        Args:
            error: What ended the command, see `inspector.commands.ending`.
        """
        with self._changed:
            self._is_stopped = True
            self._why = error.args if error is not None else self._why
            for process in self._processes:
                process.interrupt()
            self._changed.notify_all()

    def check(self) -> None:
        """Goes on unless all is to end.

        Raises:
            KeyboardInterrupt: It is: Ctrl-C reaches one thread alone, and this tells the others.
        """
        if self._is_stopped:
            raise KeyboardInterrupt(*self._why)

    def started(self, start: Callable[[], _Process]) -> _Process:
        """Starts a process, which stands still while others are timed.

        Args:
            start: Starts it.

        Raises:
            KeyboardInterrupt: All is to end.
        """
        with self._changed:
            self._wait(lambda: not self._is_alone)
            self.check()
            process = start()
            self._processes = [each for each in self._processes if each.is_there]
            self._processes.append(process)
        return process

    @contextlib.contextmanager
    def making_ready(self) -> Iterator[None]:
        """While processes of a session load and compile."""
        with self._changed:
            self._making += 1
        try:
            yield
        finally:
            with self._changed:
                self._making -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def beside_others(self) -> Iterator[None]:
        """While the recorder itself is at work."""
        with self._changed:
            self._wait(lambda: not self._is_alone and not self._waiting)
            self._working += 1
        try:
            yield
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def alone(self, own: Collection[Process]) -> Iterator[None]:
        """While calls are timed.

        Args:
            own: The processes whose calls they are.

        Raises:
            KeyboardInterrupt: All is to end.
        """
        with self._changed:
            self._waiting += 1
            try:
                self._wait(lambda: not (self._is_alone or self._working or self._are_owed_time()))
                self.check()
                self._is_alone = True
            finally:
                self._waiting -= 1
                self._changed.notify_all()
        began = time.monotonic()
        others: list[Process] = []
        try:
            with self._changed:
                others += [process for process in self._processes if process not in own]
                for process in others:
                    process.stand_still()
            yield
        finally:
            with self._changed:
                self._is_alone = False
                now = time.monotonic()
                self._awake_until = now + _AWAKE_SHARE * (now - began)
                for process in others:
                    process.go_on()
                self._changed.notify_all()

    def _are_owed_time(self) -> bool:
        return self._making > 0 and time.monotonic() < self._awake_until

    def _wait(self, is_free: Callable[[], bool]) -> None:
        while not (is_free() or self._is_stopped):
            self._changed.wait(_TICK_SECONDS)
