"""What a GPU can do."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import torch

from inspector.capture.profiling.machine.device_state import others_percent
from inspector.capture.profiling.machine.timing import (
    DTYPES,
    Measured,
    Unsupported,
    float32_precision,
    matrix_product,
    of_samples,
    rate,
    supported,
    until_stable,
)
from inspector.capture.timeline.trace import traced

_BUFFER_BYTES = 1 << 30
_PINNED_BYTES = 1 << 27
_LEAST_BYTES = 1 << 24
_OF_L2 = 4
_OF_FREE = 8
_SIDE = 8192
_LEAST_SIDE = 1024
_WATCHED = 40  # launches
_HEAD_START = 100_000  # cycles


def uuid_of(device: torch.device) -> str:
    """The device's uuid without a prefix; empty where torch does not say it."""
    return str(getattr(torch.cuda.get_device_properties(device), "uuid", "") or "")


class Gpu:
    """The measurements of the current GPU, of which the last needs CUPTI."""

    def __init__(self) -> None:
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        self.device = torch.device("cuda", torch.cuda.current_device())
        self.others_percent = others_percent(uuid_of(self.device))
        self._free_bytes, _ = torch.cuda.mem_get_info(self.device)
        found = torch.cuda.get_device_properties(self.device)
        self._l2_bytes = int(getattr(found, "L2_cache_size", 0))
        self.measurements: Mapping[str, Callable[[], Measured]] = {
            "copy_bytes_per_s": self._copied,
            "host_to_device_bytes_per_s": self._moved,
            **{f"{dtype}_flops_per_s": functools.partial(self._product, dtype) for dtype in DTYPES},
            "kernel_floor_ns": self._floor,
            "l2_bytes_per_s": self._in_cache,
        }

    def _too_little(self, needed_bytes: int) -> RuntimeError:
        free, needed = (f"{size / 2**30:.1f} GiB" for size in (self._free_bytes, needed_bytes))
        return RuntimeError(f"not enough free memory ({free} free, {needed} needed)")

    def _numbers(self, size: int) -> torch.Tensor:
        return torch.ones(size // 4, dtype=torch.float32, device=self.device)

    def _copied(self) -> Measured:
        """The faster of the driver's copy and a kernel that reads and writes."""
        # Nothing of it may be left in the L2 cache when it is read again.
        least = max(_OF_L2 * self._l2_bytes, _LEAST_BYTES)
        size = min(max(_BUFFER_BYTES, least), self._free_bytes // _OF_FREE)
        if size < least:
            raise self._too_little(_OF_FREE * least)
        source = self._numbers(size // 4096 * 4096)
        target = torch.empty_like(source)
        ways = (lambda: target.copy_(source), lambda: torch.neg(source, out=target))
        return self._fastest(2.0 * source.nbytes, *ways)

    def _moved(self) -> Measured:
        size = min(_PINNED_BYTES, self._free_bytes // _OF_FREE)
        if size < _LEAST_BYTES:
            raise self._too_little(_OF_FREE * _LEAST_BYTES)
        source = torch.ones(size, dtype=torch.uint8, device="cpu", pin_memory=True)
        target = torch.ones(size, dtype=torch.uint8, device=self.device)
        return self._fastest(size, lambda: target.copy_(source, non_blocking=True))

    def _product(self, dtype: str) -> Measured:
        supported(dtype, self.device)
        side = _SIDE
        while side > _LEAST_SIDE and 4 * side**2 > self._free_bytes // _OF_FREE:
            side //= 2
        if 4 * side**2 > self._free_bytes // _OF_FREE:
            raise self._too_little(_OF_FREE * 4 * _LEAST_SIDE**2)
        with float32_precision("tf32" if dtype == "tf32" else "ieee"):
            return self._fastest(2.0 * side**3, matrix_product(dtype, side, self.device))

    def _floor(self) -> Measured:
        """An empty kernel: torch's `_sleep`, for no time."""
        return of_samples(self._watched(lambda: torch.cuda._sleep(0)))  # noqa: SLF001 - no public one

    def _in_cache(self) -> Measured:
        """Half of the cache is copied by the driver and by a kernel: the faster counts."""
        if not self._l2_bytes:
            raise Unsupported("torch does not report the size of the L2 cache")
        source = self._numbers(self._l2_bytes // 4)
        target = torch.empty_like(source)
        ways = (lambda: target.copy_(source), lambda: torch.neg(source, out=target))
        moved = 2.0 * source.nbytes * 1e9
        found = [rate(moved, of_samples(self._watched(way))) for way in ways]
        return max(found, key=lambda item: item.value)

    def _watched(self, work: Callable[[], object]) -> list[float]:
        """Times by CUPTI, as those of profiles; the first do not count."""
        with traced(with_device=True, with_host=False) as seen:
            for _ in range(_WATCHED):
                work()
            torch.cuda.synchronize(self.device)
        times = [float(event.end_ns - event.start_ns) for event in seen.trace.device]
        if len(times) < _WATCHED // 2:
            raise RuntimeError("CUPTI recorded no kernel")
        return times[_WATCHED // 4 :]

    def _fastest(self, amount: float, *ways: Callable[[], object]) -> Measured:
        found = [rate(amount, until_stable(functools.partial(_seconds, way))) for way in ways]
        return max(found, key=lambda item: item.value)


def _seconds(work: Callable[[], object]) -> float:
    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(_HEAD_START)  # noqa: SLF001 - so that launching is no part of the time
    begun.record()
    work()
    ended.record()
    ended.synchronize()
    return float(begun.elapsed_time(ended)) / 1e3
