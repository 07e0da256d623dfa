"""What it takes that memory is fresh from the system: it gives a page at the first touch."""

from __future__ import annotations

import time

import torch

from inspector.capture.profiling.faults import page_faults
from inspector.capture.profiling.machine.timing import Measured, Unsupported, until_stable

__all__ = ["page_fault_ns"]

# Above what glibc keeps for the next one that asks (DEFAULT_MMAP_THRESHOLD_MAX in malloc/malloc.c).
_FRESH_BYTES = 1 << 26


def page_fault_ns() -> Measured:
    """The time for each fault, of threads that fill memory which is new to the process.

    That of giving it back is in it, and that of filling the same memory again left out.
    """
    if not _filled()[1]:
        raise Unsupported("memory that torch asks for is kept by its allocator, or never faults")
    return until_stable(_sample)


def _sample() -> float:
    time_ns, faults = _filled()
    return max(1.0, time_ns) / max(1, faults)


def _filled() -> tuple[float, int]:
    """How much longer the first filling and freeing take than the second filling; the faults."""
    tensor = torch.empty(_FRESH_BYTES, dtype=torch.uint8)
    times: list[int] = []
    faults: list[int] = []
    for _ in range(2):
        before, at_ns = page_faults(), time.perf_counter_ns()
        tensor.fill_(1)
        times.append(time.perf_counter_ns() - at_ns)
        faults.append(page_faults() - before)
    at_ns = time.perf_counter_ns()
    del tensor
    return times[0] - times[1] + time.perf_counter_ns() - at_ns, faults[0] - faults[1]
