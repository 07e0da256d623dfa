"""How often this process touches a page of memory that it did not have yet, and what that takes."""

from __future__ import annotations

import ctypes
import mmap
import statistics
import time
from collections.abc import Callable, Mapping

import torch

from inspector.model.fresh_memory import FEW_PAGES

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Above what glibc keeps for the next one that asks (DEFAULT_MMAP_THRESHOLD_MAX in malloc/malloc.c).
_FRESH_BYTES = 1 << 26
_SAMPLES = 5
_MOST_GROWING_SECONDS = 3.0
# mallopt(3); the numbers are those of glibc's malloc.h. Without trimming nothing on top of the heap
# is given back; the pad is what the heap grows by at least.
_M_TRIM_THRESHOLD, _NEVER = -1, -1
_M_TOP_PAD, _PAD_BYTES = -2, 1 << 28
_M_MMAP_MAX, _NONE = -4, 0


def page_faults() -> int:
    """Faults until now, of all threads, that nothing had to be read from a disk for; or 0."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt if resource is not None else 0


def keep_freed() -> bool:
    """Lets this process keep what lies on top of its heap when it is freed.

    Blocks that are mapped each for itself (of 32 MiB and more, at the latest) are given back as
    before.

    Returns:
        Whether there is an allocator that can be told (glibc).
    """
    return _set(_M_TRIM_THRESHOLD, _NEVER) and _set(_M_TOP_PAD, _PAD_BYTES)


def keep_mapped() -> bool:
    """Lets it map no blocks by themselves any more: with `keep_freed` it keeps all of its memory.

    Returns:
        Whether there is an allocator that can be told.
    """
    return _set(_M_MMAP_MAX, _NONE)


def _set(parameter: int, value: int) -> bool:
    try:
        return bool(ctypes.CDLL(None).mallopt(parameter, value))
    except (AttributeError, OSError, TypeError):  # another C library; Windows
        return False


def grow(pages_of_a_call: Callable[[], int]) -> None:
    """Calls until the heap has room for all that a call asks for, or for 3 s.

    Args:
        pages_of_a_call: Makes a call; the pages that the system has given anew in it.
    """
    until_s = time.perf_counter() + _MOST_GROWING_SECONDS
    while pages_of_a_call() > FEW_PAGES:
        if time.perf_counter() > until_s:
            break


def fresh_page() -> Mapping[str, int]:
    """What a page takes that is fresh: ``touch_ns`` to fill it first, ``free_ns``, its bytes.

    All threads of the program fill new memory, once and again; the difference is of its pages.
    It is asked for behind the calls that are measured, as it is another one with other programs.

    Returns:
        Nothing where memory is kept, or its pages are larger ones (transparent huge pages): then
        no page of a tensor takes what this one does.
    """
    samples = [_sample() for _ in range(_SAMPLES)]
    faults = statistics.median(found for _, _, found in samples)
    if faults < _FRESH_BYTES / mmap.PAGESIZE / 2:
        return {}
    touch_ns, free_ns = (
        max(0, round(statistics.median(each[place] for each in samples) / faults))
        for place in (0, 1)
    )
    return {"touch_ns": touch_ns, "free_ns": free_ns, "page_bytes": mmap.PAGESIZE}


def _sample() -> tuple[int, int, int]:
    """How much longer the first filling takes than the second; freeing; the first one's faults."""
    tensor = torch.empty(_FRESH_BYTES, dtype=torch.uint8, device="cpu")
    times: list[int] = []
    faults: list[int] = []
    for _ in range(2):
        before, at_ns = page_faults(), time.perf_counter_ns()
        tensor.fill_(1)
        times.append(time.perf_counter_ns() - at_ns)
        faults.append(page_faults() - before)
    at_ns = time.perf_counter_ns()
    del tensor
    return times[0] - times[1], time.perf_counter_ns() - at_ns, faults[0] - faults[1]
