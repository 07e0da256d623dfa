"""Keeps where a process of `inspect bench` stands, for the process that gives up waiting for it."""

from __future__ import annotations

import faulthandler
import signal
from pathlib import Path

from inspector.model.stack_dump import STACK_FILE, STACK_SIGNAL


def keep_stack(folder: Path) -> None:
    """Lets Python write its stacks into the folder: on a signal, and when it crashes.

    What a program sets up itself with `faulthandler`, or for that signal, comes later and holds.
    """
    # `faulthandler` keeps it open: it may be written to as long as the process lives.
    log = (folder / STACK_FILE).open("w", encoding="utf-8")
    faulthandler.enable(log)
    number = getattr(signal, STACK_SIGNAL, None)
    if number is not None and hasattr(faulthandler, "register"):
        faulthandler.register(number, log, all_threads=True)
