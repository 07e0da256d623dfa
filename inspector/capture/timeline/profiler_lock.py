"""Whose turn it is to profile: ours only while the program neither profiles itself nor forks."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from torch.autograd import profiler

_ANSWER_SECONDS = 10.0


class ProfilerLock:
    """A turn that the program takes away when it begins a profile of its own, or forks.

    It is a context manager for the one thread that profiles: ``with turn as is_ours``. Whoever
    takes it away waits until that thread has ended its profile.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_free = threading.Event()
        self._is_free.set()
        self._is_wanted = threading.Event()
        self._takers = 0
        self._is_watching = False
        self._prepare: Callable[..., Any] | None = None

    def watch(self) -> None:
        """From now on forks end a turn."""
        self._is_watching = True
        os.register_at_fork(
            before=functools.partial(self._if_watching, self.take_away),
            after_in_parent=functools.partial(self._if_watching, self._give_back),
            after_in_child=self.release,
        )

    def release(self) -> None:
        """Forks are no concern any more; what is registered for them cannot be taken back."""
        self._is_watching = False

    def take_away(self) -> None:
        """Ends a turn, and waits until it has ended."""
        with self._lock:
            self._takers += 1
            self._is_wanted.set()
        self._is_free.wait(_ANSWER_SECONDS)

    def interrupt(self) -> None:
        """Ends a turn, if one is taken, and waits until it has ended."""
        if not self._is_free.is_set():
            self.take_away()
            self._give_back()

    def wait(self, seconds: float) -> bool:
        """Waits as long as the turn lasts; whether it was taken away."""
        return self._is_wanted.wait(seconds)

    def __enter__(self) -> bool:
        """Whether it is ours to profile."""
        with self._lock:
            if self._takers:
                return False
            self._is_free.clear()
        self._prepare = profiler._prepare_profiler  # noqa: SLF001 - where all profiles begin
        profiler._prepare_profiler = self._of_the_program  # noqa: SLF001
        return True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Lets those go on who took it away."""
        if self._prepare is not None:
            profiler._prepare_profiler = self._prepare  # noqa: SLF001
            self._prepare = None
        self._is_free.set()

    def _of_the_program(self, *args: Any, **kwargs: Any) -> Any:
        prepare = self._prepare or profiler._prepare_profiler  # noqa: SLF001
        self.interrupt()
        return prepare(*args, **kwargs)

    def _give_back(self) -> None:
        with self._lock:
            self._takers -= 1
            if not self._takers:
                self._is_wanted.clear()

    def _if_watching(self, action: Callable[[], None]) -> None:
        if self._is_watching:
            action()
