"""Which models load and compile side by side, and which of them is timed: one, with no other."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

__all__ = ["Turns"]


class Turns:
    """Turns of sessions that are at work at the same time.

    Whoever wants to be alone comes before whoever wants to begin something: else a model that has
    compiled would wait for all that come after it.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._working = 0
        self._waiting = 0
        self._is_alone = False
        self._is_stopped = False

    def stop(self) -> None:
        """Ends all sessions, each at its next `check`."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def check(self) -> None:
        """Goes on unless all is to end.

        Raises:
            KeyboardInterrupt: It is: Ctrl-C reaches one thread alone, and this tells the others.
        """
        if self._is_stopped:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def beside_others(self) -> Iterator[None]:
        """While something is done that takes no times, or times that others may lengthen."""
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
    def alone(self) -> Iterator[None]:
        """While calls are timed.

        Raises:
            KeyboardInterrupt: All is to end.
        """
        with self._changed:
            self._waiting += 1
            try:
                self._wait(lambda: not self._is_alone and not self._working)
                self.check()
                self._is_alone = True
            finally:
                self._waiting -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._is_alone = False
                self._changed.notify_all()

    def _wait(self, is_free: Callable[[], bool]) -> None:
        while not (is_free() or self._is_stopped):
            self._changed.wait()
