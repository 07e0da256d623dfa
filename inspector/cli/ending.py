"""Signals that end a command become what Ctrl-C is.

What was measured until then is shown, and temporary files are deleted.
"""

import contextlib
import signal
import threading
from collections.abc import Iterator

_SIGNALS = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextlib.contextmanager
def ended_as_by_ctrl_c() -> Iterator[list[int]]:
    """Raises `KeyboardInterrupt` for SIGTERM and SIGHUP, where they are not ignored.

    They do not reach processes that have groups of their own, and a report would be lost. Yields
    the signals that came.
    """
    came: list[int] = []

    def end(number: int, _frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt(signal.Signals(number).name)

    is_main = threading.current_thread() is threading.main_thread()
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers if is_main}
    # None is a handler that is none of Python's, and could not be put back.
    ours = {
        number: handler
        for number, handler in before.items()
        if handler not in {None, signal.SIG_IGN}
    }
    for number in ours:
        signal.signal(number, end)
    try:
        yield came
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)


def interruption(error: KeyboardInterrupt) -> str:
    """What ended it, for a report: Ctrl-C, or the signal that became one."""
    from inspector.run.sources.child import CTRL_C  # not for a command that only prints its help

    return f"it was killed by {error.args[0]}" if error.args else CTRL_C
