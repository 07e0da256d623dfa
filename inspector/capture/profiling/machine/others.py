"""How much of the processors others had while something was measured, as Linux says it."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from inspector.capture.profiling.machine.cpu_memory import allowed

# The name among the facts, and from which on others are in the way.
OTHERS = "others_percent"
BUSY_PERCENT = 10

_STAT = Path("/proc/stat")
# proc_stat(5): user nice system idle iowait irq softirq steal; guests are in user and nice.
_WORK = (0, 1, 2, 5, 6, 7)


class Others:
    """Looks at the processors that this process may run on, from now on.

    Args:
        stat: The file that says how long each processor was at work.
    """

    def __init__(self, stat: Path = _STAT) -> None:
        self._stat = stat
        self._began_s = time.monotonic()
        self._all_s, self._own_s = _work_s(stat), _own_s()

    def percent(self) -> int | None:
        """The share of their time that others had, in percent; None where it is not known."""
        now_s = _work_s(self._stat)
        there_s = (time.monotonic() - self._began_s) * len(allowed())
        if self._all_s is None or now_s is None or now_s <= self._all_s or there_s <= 0:
            return None
        others_s = now_s - self._all_s - (_own_s() - self._own_s)
        return round(100 * min(1.0, max(0.0, others_s / there_s)))


def _work_s(stat: Path) -> float | None:
    """For how long our processors were at work since the system began."""
    try:
        lines = [line.split() for line in stat.read_text("ascii").splitlines()]
        ours = {f"cpu{number}" for number in allowed()}
        ticks = [int(line[1 + place]) for line in lines if line[0] in ours for place in _WORK]
        return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else None
    except (OSError, ValueError, IndexError):
        return None


def _own_s() -> float:
    """What this process had itself, in all of its threads, and what it waited for: a compiler.

    So does what its parent had, which records it, and its children: a compiler's workers.
    """
    times = os.times()
    waited_for_s = times.user + times.system + times.children_user + times.children_system
    return waited_for_s + sum(map(_had_s, (os.getppid(), *_children())))


def _children() -> list[int]:
    """The processes that this one has begun, and not waited for."""
    found: list[int] = []
    for file in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError, ValueError):
            found += map(int, file.read_text("ascii").split())
    return found


def _had_s(pid: int) -> float:
    """What another process had, in all of its threads; 0 where it is not known."""
    try:
        # proc_pid_stat(5): the name of the program, in brackets, may have anything in it.
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0
