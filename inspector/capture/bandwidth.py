"""How fast the device at hand copies memory."""

from __future__ import annotations

import statistics
import time

import torch

from inspector.records.timeline import CopyRate

# A tensor that fits into a cache is copied much faster than one that does not; the first is small
# enough to be copied by one thread, which is what happens to small tensors.
_SIZES_BYTES = (1 << 16, 1 << 20, 1 << 24, 1 << 27)
_ITEM_BYTES = 4
_REPETITIONS = 9
_LEAST_NS = 200_000


def copy_rates(device: str, most_bytes: int | None = None) -> list[CopyRate]:
    """Bytes read and written per second, for copies of several sizes.

    Each copy goes into new memory, as torch allocates it: so does what crosses a break.
    They are medians of some measurements. The largest copy to try can be limited.
    """
    rates = []
    for size in _SIZES_BYTES:
        if most_bytes is not None and size > most_bytes:
            break
        source = torch.ones(size // _ITEM_BYTES, dtype=torch.float32, device=device)
        elapsed_ns = _copy_ns(source)
        rates.append(CopyRate(size, 2 * size / elapsed_ns * 1e9))
    return rates


def _copy_ns(source: torch.Tensor) -> float:
    once_ns = _loop_ns(source, 2) / 2
    repeats = max(1, round(_LEAST_NS / max(once_ns, 1)))
    measured = [_loop_ns(source, repeats) / repeats for _ in range(_REPETITIONS)]
    return max(1.0, statistics.median(measured))


def _loop_ns(source: torch.Tensor, repeats: int) -> int:
    _wait(source)
    began_ns = time.perf_counter_ns()
    for _ in range(repeats):
        source.clone()
    _wait(source)
    return time.perf_counter_ns() - began_ns


def _wait(tensor: torch.Tensor) -> None:
    if tensor.is_cuda:
        torch.cuda.synchronize(tensor.device)
