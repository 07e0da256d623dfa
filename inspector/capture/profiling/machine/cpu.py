"""What a CPU can do, in as many threads as torch has."""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import torch

from inspector.capture.profiling.machine.timing import (
    Measured,
    float32_precision,
    matrix_product,
    rate,
    until_stable,
)

_BUFFER_BYTES = 1 << 27
_OF_CACHE = 4
_OF_FREE = 8
_SIDES = (128, 256, 512, 1024, 2048, 4096)
_PRODUCT_SECONDS = 0.02
_FEW = 3
_GROWTH = 3
_LARGE_SIDE = 1024
_CPU = torch.device("cpu")


class Cpu:
    """The measurements of a CPU."""

    others_percent = None

    def __init__(self) -> None:
        self.measurements: Mapping[str, Callable[[], Measured]] = {
            "copy_bytes_per_s": _copies,
            "float32_flops_per_s": functools.partial(_product, "float32"),
            "bfloat16_flops_per_s": functools.partial(_product, "bfloat16"),
        }


def _copies() -> Measured:
    """As STREAM does it: what a copy reads into the cache before it writes is not counted.

    McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", 1995;
    its rule of four times the cache as well.
    """
    size = _buffer_bytes()
    first, second = _numbers(size), _numbers(size)
    return _rate(2 * first.nbytes, lambda: second.copy_(first))


def _buffer_bytes() -> int:
    least, free = _OF_CACHE * last_cache_bytes(), free_bytes()
    size = max(_BUFFER_BYTES, least)
    if free:
        size = min(size, free // _OF_FREE)
    if size < max(least, _BUFFER_BYTES // _OF_FREE):
        has, needed = (f"{amount / 2**30:.1f} GiB" for amount in (free, _OF_FREE * least))
        raise RuntimeError(f"not enough free memory ({has} free, {needed} needed)")
    return size


def _numbers(size: int) -> torch.Tensor:
    """A buffer that is written first by the threads that use it, each its part.

    On a machine of several memories each page then lies with the thread that reads it:
    `fill_` and `copy_` split their work alike.
    """
    return torch.empty(max(1, size // 4), dtype=torch.float32, device=_CPU).fill_(1.0)


def _product(dtype: str) -> Measured:
    """A product that takes some 20 ms: without instructions for a dtype a large one takes ages.

    One that hardly takes longer than a smaller one spends its time on waiting for threads, which
    busy processors start late.
    """
    before = float("inf")
    with float32_precision("ieee"):
        for side in _SIDES:
            work = matrix_product(dtype, side, _CPU)
            took = min(_seconds(work) for _ in range(_FEW))
            if took >= _PRODUCT_SECONDS and (took > _GROWTH * before or side >= _LARGE_SIDE):
                break
            before = took
        return _rate(2.0 * side**3, work)


def _rate(amount: float, work: Callable[[], object]) -> Measured:
    return rate(amount, until_stable(lambda: _seconds(work)))


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


_CPUS = Path("/sys/devices/system/cpu")
_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


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
