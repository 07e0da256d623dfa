"""What a process of `inspect bench` is: how it is talked to, where it runs, and for how long."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
from pathlib import Path
from typing import Any

import torch

from inspector.capture.profiling.device import uses_cuda
from inspector.shared.stack_dump import STACK_FILE, STACK_SIGNAL


class Channel:
    """The ends that `inspector.run.sources.worker` gave to this process: lines of JSON."""

    def __init__(self) -> None:
        """Takes them out of the environment: what the program starts has none of them."""
        given = os.environ
        self._in = os.fdopen(int(given.pop("INSPECTOR_BENCH_IN")), "r", encoding="utf-8")
        self._out = os.fdopen(int(given.pop("INSPECTOR_BENCH_OUT")), "w", encoding="utf-8")

    def received(self) -> dict[str, Any] | None:
        """Waits until something is to be done; None where there is nothing any more."""
        line = self._in.readline()
        return json.loads(line) if line else None

    def say(self, state: str, **fields: object) -> None:
        """Says that a state is reached."""
        self._out.write(json.dumps({"state": state, **fields}) + "\n")
        self._out.flush()


class Cores:
    """The cores that this process may use: all while it compiles, its own while it is timed.

    With ``OMP_PROC_BIND=true`` libgomp binds the thread that loads it to one core. Inductor counts
    the cores that it may use to decide how many processes compile, and these, and the C++ compiler,
    would have to share that one. Those that compile Triton kernels load torch themselves, and would
    be bound to one core again: a bench on a machine with 16 compiled as if it had one.
    """

    def __init__(self) -> None:
        """Gives this thread all cores of its parent again, and what it starts from now on."""
        if os.environ.pop("INSPECTOR_PINS", ""):  # not the user's
            del os.environ["OMP_PROC_BIND"]  # libgomp has read it
        self._bound: set[int] = set()
        if hasattr(os, "sched_getaffinity"):  # Linux
            self._bound = os.sched_getaffinity(0)
            os.sched_setaffinity(0, os.sched_getaffinity(os.getppid()))

    def bind(self) -> None:
        """Binds this thread as it was."""
        if self._bound:
            os.sched_setaffinity(0, self._bound)


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


def device_name() -> str:
    """``NVIDIA H200``, ``cpu``; to be asked after a first call."""
    if uses_cuda():
        return str(torch.cuda.get_device_name())
    return "cpu"


def age_ns() -> int:
    """How long this process is there; 0 where the system does not say."""
    try:
        fields = Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        uptime = float(Path("/proc/uptime").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return max(0, round((uptime - began) * 1e9))
