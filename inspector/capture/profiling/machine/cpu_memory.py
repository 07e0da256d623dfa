"""How large a CPU's last cache is, and how much memory is free, as Linux says it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_CPUS = Path("/sys/devices/system/cpu")
_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def processors() -> int:
    """How many processors this process may run on."""
    return len(allowed())


def allowed() -> list[int]:
    """The numbers of the processors that this process may run on."""
    with contextlib.suppress(AttributeError, OSError):  # macOS has no affinity
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def last_cache_bytes(cpus: Path = _CPUS) -> int:
    """The caches of the highest level that our processors have, together; 0 where unknown."""
    found: dict[int, dict[str, int]] = {}
    for number in allowed():
        for cache in (cpus / f"cpu{number}" / "cache").glob("index*"):
            with contextlib.suppress(OSError, ValueError, KeyError):
                if _text(cache / "type") != "Instruction":
                    size = _text(cache / "size")
                    size_bytes = int(size[:-1]) * _UNITS[size[-1]]
                    level = found.setdefault(int(_text(cache / "level")), {})
                    level[_text(cache / "shared_cpu_list")] = size_bytes
    return sum(found[max(found)].values()) if found else 0


def free_bytes(meminfo: Path = _MEMINFO, cgroup: Path = _CGROUP) -> int:
    """Memory that can be had: that of the machine, or of our container; 0 where unknown."""
    found = []
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = _text(meminfo).split("\n")
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        found.append(int(line.split()[1]) << 10)
    with contextlib.suppress(OSError, ValueError):  # "max" is no number: there is no limit
        limit, used = (int(_text(cgroup / name)) for name in ("memory.max", "memory.current"))
        found.append(max(0, limit - used))
    return min(found, default=0)


def _text(file: Path) -> str:
    return file.read_text("ascii").strip()
