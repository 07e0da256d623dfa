"""Runs functions in forked processes, several at a time, each with a time limit."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_LONGEST_WAIT_S = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """How one task ended: what its function returned, or why it returned nothing."""

    task: T
    value: Any
    error: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class _Running(Generic[T]):
    task: T
    process: Any
    connection: Connection
    until: float

    def kill(self) -> None:
        """Ends a task with the programs that it has started: it leads a process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()


class Forks(Generic[T]):
    """A process for each task: a compiler that crashes or hangs takes one task with it.

    Forked, because importing torch and Triton takes seconds; so the process that forks must have
    imported them and must not have compiled anything.
    """

    def __init__(self, function: Callable[[T], Any], workers: int, time_limit_s: float) -> None:
        self._function = function
        self._workers = max(1, workers)
        self._time_limit_s = time_limit_s
        self._waiting: deque[T] = deque()
        self._running: list[_Running[T]] = []
        self._context = multiprocessing.get_context("fork")

    def add(self, task: T) -> None:
        """One more task."""
        self._waiting.append(task)

    def outcomes(self) -> Iterator[Outcome[T]]:
        """Outcomes as tasks end, until none is left; tasks may be added meanwhile."""
        try:
            while self._waiting or self._running:
                while self._waiting and len(self._running) < self._workers:
                    task = self._waiting.popleft()
                    receiving, sending = self._context.Pipe(duplex=False)
                    arguments = (self._function, task, sending)
                    process = self._context.Process(target=_child, args=arguments)
                    process.start()
                    sending.close()
                    until = time.monotonic() + self._time_limit_s
                    self._running.append(_Running(task, process, receiving, until))
                yield from self._ended()
        finally:
            for running in self._running:
                running.kill()

    def _ended(self) -> list[Outcome[T]]:
        ready = wait([running.connection for running in self._running], _LONGEST_WAIT_S)
        ended = []
        for running in list(self._running):
            if running.connection in ready:
                ended.append(_received(running))
            elif time.monotonic() > running.until:
                running.kill()
                error = f"compilation took longer than {self._time_limit_s:g} s"
                ended.append(Outcome(running.task, None, error))
            else:
                continue
            self._running.remove(running)
        return ended


def _received(running: _Running[T]) -> Outcome[T]:
    try:
        value, error = running.connection.recv()
    except EOFError:
        value, error = None, ""
    running.process.join()
    running.connection.close()
    if value is None and not error:
        code = running.process.exitcode or 0
        error = f"the compiler exited with code {code}"
        with contextlib.suppress(ValueError):
            error = f"the compiler was killed by {signal.Signals(-code).name}"
    return Outcome(running.task, value, error)


def _child(function: Callable[[T], Any], task: T, sending: Connection) -> None:
    """Sends what the function returns, or its error; what the compiler prints goes nowhere."""
    os.setpgid(0, 0)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    try:
        message: tuple[Any, str] = (function(task), "")
    except BaseException as error:  # noqa: BLE001 - whatever it is, the other side is told
        message = (None, f"{type(error).__name__}: {str(error).strip()[:2000]}")
    sending.send(message)
    sending.close()
