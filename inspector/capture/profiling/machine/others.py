"""How much of the processors others had while something was measured, as Linux says it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from inspector.capture.profiling.machine.cpu_memory import allowed

__all__ = ["BUSY_PERCENT", "OTHERS", "Others"]

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
    """What this process had itself, in all of its threads, and what it waited for: a compiler."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
