"""What a GPU can do."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping

import torch

from inspector.capture.profiling.machine.cache import GPU_NAMES, OTHERS
from inspector.capture.profiling.machine.device_state import device_state, others_percent
from inspector.capture.profiling.machine.empty_kernel import watched
from inspector.capture.profiling.machine.products import matrix_product, supported, tensor_float
from inspector.capture.profiling.machine.timing import (
    Measured,
    Measurement,
    Unsupported,
    one,
    rate,
    until_stable,
)

_BUFFER_BYTES = 1 << 30
_PINNED_BYTES = 1 << 27
_LEAST_BYTES = 1 << 24
_OF_L2 = 4
_OF_FREE = 8
_SIDE = 8192
_LEAST_SIDE = 1024
_LOAD_SECONDS = 0.3
_MOST_QUEUED = 1000


def visible_gpu(index: int, uuid: str) -> torch.device:
    """The device of a uuid, or of a number where nobody knows the uuid.

    Raises:
        RuntimeError: It is not here.
    """
    count = torch.cuda.device_count()
    uuids = [uuid_of(torch.device("cuda", number)) for number in range(count)]
    if uuid in uuids:
        return torch.device("cuda", uuids.index(uuid))
    if uuid and any(uuids):
        raise RuntimeError("the profiled GPU is not visible to a new process")
    if index >= count:
        raise RuntimeError(f"GPU {index} was profiled, but a new process sees only {count} GPUs")
    return torch.device("cuda", index)


def uuid_of(device: torch.device) -> str:
    """The device's uuid without a prefix; empty where torch does not say it."""
    return str(getattr(torch.cuda.get_device_properties(device), "uuid", "") or "")


@dataclasses.dataclass(slots=True)
class Gpu:
    """The measurements of one GPU.

    Attributes:
        free_bytes: Memory that nobody had when it began.
        others: For how much of the time others were at work before, in percent, or None.
    """

    device: torch.device
    free_bytes: int = 0
    l2_bytes: int = 0
    state: Mapping[str, str] = dataclasses.field(default_factory=dict)
    state_missing: str = "no matmul could be measured"
    others: int | None = None

    def __post_init__(self) -> None:
        # The program that is profiled has waited since this process was started.
        self.others = others_percent(uuid_of(self.device), 0)
        torch.cuda.set_device(self.device)
        torch.zeros(1, device=self.device)
        self.free_bytes, _ = torch.cuda.mem_get_info(self.device)
        found = torch.cuda.get_device_properties(self.device)
        self.l2_bytes = int(getattr(found, "L2_cache_size", 0))

    @property
    def facts(self) -> Mapping[str, int]:
        """What the figures depend on."""
        others = {} if self.others is None else {OTHERS: self.others}
        return {"l2_bytes": self.l2_bytes, "free_bytes": self.free_bytes, **others}

    def measurements(self) -> Iterator[Measurement]:
        """What can be measured: the names of the figures, and what measures them."""
        yield one("copy_bytes_per_s", self._copied)
        yield one("host_to_device_bytes_per_s", self._moved)
        for name in GPU_NAMES:
            if name.endswith("_flops_per_s"):
                dtype = name.removesuffix("_flops_per_s")
                yield one(name, functools.partial(self._product, dtype))
        yield ("kernel_floor_ns", "l2_bytes_per_s"), self._watched

    def clean(self) -> None:
        """Gives back the memory of a measurement."""
        torch.cuda.empty_cache()

    def _too_little(self, needed_bytes: int) -> RuntimeError:
        free, needed = (f"{size / 2**30:.1f} GiB" for size in (self.free_bytes, needed_bytes))
        return RuntimeError(f"not enough free memory ({free} free, {needed} needed)")

    def _numbers(self, size: int) -> torch.Tensor:
        return torch.ones(size // 4, dtype=torch.float32, device=self.device)

    def _copied(self) -> Measured:
        """The faster of the driver's copy and a kernel that reads and writes."""
        # Nothing of it may be left in the L2 cache when it is read again.
        least = max(_OF_L2 * self.l2_bytes, _LEAST_BYTES)
        size = min(max(_BUFFER_BYTES, least), self.free_bytes // _OF_FREE)
        if size < least:
            raise self._too_little(_OF_FREE * least)
        source = self._numbers(size // 4096 * 4096)
        target = torch.empty_like(source)
        ways = (lambda: target.copy_(source), lambda: torch.neg(source, out=target))
        return self._fastest(2.0 * source.nbytes, *ways)

    def _moved(self) -> Measured:
        size = min(_PINNED_BYTES, self.free_bytes // _OF_FREE)
        if size < _LEAST_BYTES:
            raise self._too_little(_OF_FREE * _LEAST_BYTES)
        source = torch.ones(size, dtype=torch.uint8, device="cpu", pin_memory=True)
        target = torch.ones(size, dtype=torch.uint8, device=self.device)
        return self._fastest(size, lambda: target.copy_(source, non_blocking=True))

    def _product(self, dtype: str) -> Measured:
        supported(dtype, self.device)
        side = _SIDE
        while side > _LEAST_SIDE and 4 * side**2 > self.free_bytes // _OF_FREE:
            side //= 2
        if 4 * side**2 > self.free_bytes // _OF_FREE:
            raise self._too_little(_OF_FREE * 4 * _LEAST_SIDE**2)
        with tensor_float(on=dtype == "tf32"):
            work = matrix_product(dtype, side, self.device)
            found = self._fastest(2.0 * side**3, work)
            if dtype == self._looked_at:
                self._look_at_state(work, 2.0 * side**3 / found.value)
        return found

    @property
    def _looked_at(self) -> str:
        """The product in which the driver is asked for the device's state: one that needs power."""
        has_tensor_cores = torch.cuda.get_device_capability(self.device) >= (8, 0)
        return "bfloat16" if has_tensor_cores else "float32"

    def _look_at_state(self, work: Callable[[], object], seconds: float) -> None:
        """Asks the driver while the device multiplies: once it has stopped it looks idle."""
        for _ in range(min(_MOST_QUEUED, math.ceil(_LOAD_SECONDS / seconds))):
            work()
        self.state, self.state_missing = device_state(uuid_of(self.device))
        torch.cuda.synchronize(self.device)

    def _watched(self) -> Iterator[tuple[str, Measured]]:
        yield from watched(self.device, self.l2_bytes)
        if not self.l2_bytes:
            raise Unsupported("torch does not report the size of the L2 cache")

    def _fastest(self, amount: float, *ways: Callable[[], object]) -> Measured:
        found = [rate(amount, until_stable(functools.partial(_seconds, way))) for way in ways]
        return max(found, key=lambda item: item.value)


def _seconds(work: Callable[[], object]) -> float:
    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begun.record()
    work()
    ended.record()
    ended.synchronize()
    return float(begun.elapsed_time(ended)) / 1e3
