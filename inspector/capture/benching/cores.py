"""The cores that this process may use: all of them while it compiles, its own while it is timed.

With ``OMP_PROC_BIND=true`` libgomp binds the thread that loads it to one core. Inductor counts the
cores that it may use to decide how many processes compile, and these, and the C++ compiler, would
have to share that one. Those that compile Triton kernels load torch themselves, and would be bound
to one core again: a bench on a machine with 16 compiled as if it had one.
"""

from __future__ import annotations

import os


class Cores:
    """What this thread was bound to when it was made, and what it was before."""

    def __init__(self) -> None:
        """Gives this thread all cores of its parent again, and what it starts from now on."""
        if os.environ.pop("INSPECTOR_PINS", ""):  # not the user's
            del os.environ["OMP_PROC_BIND"]  # libgomp has read it
        self._bound: set[int] = set()
        if hasattr(os, "sched_getaffinity"):  # Linux
            self._bound = os.sched_getaffinity(0)
            self.free()

    def free(self) -> None:
        """Gives it all cores."""
        if self._bound:
            os.sched_setaffinity(0, os.sched_getaffinity(os.getppid()))

    def bind(self) -> None:
        """Binds this thread as it was."""
        if self._bound:
            os.sched_setaffinity(0, self._bound)
