"""What the machine at hand can do, measured: memory, caches, multiplications, launches.

Never a table of names: data sheets say what a chip could do, and drivers, clocks, power limits and
neighbours decide what it does.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from inspector.capture.profiling.device import uses_cuda

__all__ = ["ceilings"]

_VERSION = 1
_SIDE = 8192
_CPU_SIDE = 2048
_REPETITIONS = 7
_COPIES_IN_GRAPH = 32
_LARGEST_BYTES = 1 << 30
_CPU_BYTES = 1 << 27
_PINNED_BYTES = 1 << 28
_LAUNCHES = 2000
_QUERY = (
    "clocks.sm", "clocks.max.sm", "clocks.mem", "power.draw", "power.limit", "temperature.gpu",
    "clocks_event_reasons.active",
)  # fmt: skip


def ceilings() -> dict[str, object]:
    """The payload of ``inspector_ceilings``; measured once for a device, driver and torch.

    What was measured before is read from ``$XDG_CACHE_HOME/torch-inspector`` (``~/.cache``), and
    what cannot be measured (a dtype that the device lacks, too little memory) is left out.
    """
    is_cuda = uses_cuda()
    file = _kept(is_cuda=is_cuda)
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(file.read_bytes())
        if isinstance(found, dict) and found.get("v") == _VERSION:
            return found | {"cached": True}
    measured = dict(_of_cuda() if is_cuda else _of_cpu())
    fields: dict[str, object] = {
        "v": _VERSION,
        "device": torch.cuda.get_device_name() if is_cuda else "cpu",
        "measured_at_s": int(time.time()),
        "state": _state() if is_cuda else {"threads": torch.get_num_threads()},
        "ceilings": measured,
    }
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(fields))
    return fields | {"cached": False}


def _kept(*, is_cuda: bool) -> Path:
    if is_cuda:
        found = torch.cuda.get_device_properties(torch.cuda.current_device())
        parts = [found.name, str(getattr(found, "uuid", "")), str(torch.version.cuda)]
    else:
        parts = ["cpu", os.uname().nodename, str(torch.get_num_threads())]
    key = hashlib.sha256(repr([_VERSION, torch.__version__, *parts]).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "torch-inspector" / f"ceilings-{key}.json"


def _of_cuda() -> Iterator[tuple[str, float]]:
    torch.cuda.synchronize()
    free_bytes, _ = torch.cuda.mem_get_info()
    size = min(_LARGEST_BYTES, free_bytes // 8)
    l2_bytes = int(getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0))
    measurements: dict[str, Callable[[], float]] = {
        "copy_bytes_per_s": lambda: _copied(size),
        "read_bytes_per_s": lambda: _read(size),
        "l2_bytes_per_s": lambda: _in_l2(l2_bytes // 4),
        "host_to_device_bytes_per_s": lambda: _from_host(_PINNED_BYTES),
        "launch_ns": _launch_ns,
        **{f"{name}_flops_per_s": way for name, way in _multiplications("cuda", _SIDE).items()},
    }
    for name, measure in measurements.items():
        with contextlib.suppress(Exception):  # what this device or this torch does not have
            yield name, measure()
        torch.cuda.empty_cache()


def _of_cpu() -> Iterator[tuple[str, float]]:
    source = torch.ones(_CPU_BYTES // 4)
    target = torch.empty_like(source)
    yield "copy_bytes_per_s", 2 * _CPU_BYTES / _host_seconds(lambda: target.copy_(source))
    yield "read_bytes_per_s", _CPU_BYTES / _host_seconds(source.sum)
    for name, way in _multiplications("cpu", _CPU_SIDE).items():
        if name in {"float32", "bfloat16"}:
            with contextlib.suppress(Exception):
                yield f"{name}_flops_per_s", way()


def _copied(size: int) -> float:
    source = torch.empty(size // 4, device="cuda")
    target = torch.empty_like(source)
    return 2 * size / _seconds(lambda: target.copy_(source))


def _read(size: int) -> float:
    source = torch.zeros(size // 4, device="cuda")
    return size / _seconds(source.sum)


def _in_l2(size: int) -> float:
    """Copies within the cache; launched by a graph, for they are over before the next launch."""
    if not size:
        raise ValueError
    source = torch.zeros(size // 4, device="cuda")
    target = torch.empty_like(source)
    graph = torch.cuda.CUDAGraph()
    target.copy_(source)
    with torch.cuda.graph(graph):
        for _ in range(_COPIES_IN_GRAPH):
            target.copy_(source)
    return 2 * size * _COPIES_IN_GRAPH / _seconds(graph.replay)


def _from_host(size: int) -> float:
    source = torch.empty(size, dtype=torch.uint8, pin_memory=True)
    target = torch.empty(size, dtype=torch.uint8, device="cuda")
    return size / _seconds(lambda: target.copy_(source, non_blocking=True))


def _launch_ns() -> float:
    """Host time of a launch, where the device is not waited for."""
    value = torch.zeros(1, device="cuda")
    times = []
    for _ in range(_REPETITIONS):
        torch.cuda.synchronize()
        begun_ns = time.perf_counter_ns()
        for _ in range(_LAUNCHES // 10):
            value.add_(1)
        times.append((time.perf_counter_ns() - begun_ns) / (_LAUNCHES // 10))
    torch.cuda.synchronize()
    return statistics.median(times)


@dataclasses.dataclass(frozen=True, slots=True)
class _Multiplied:
    device: str
    side: int
    dtype: torch.dtype
    tf32: bool = False

    def __call__(self) -> float:
        first, second = (
            torch.randn(self.side, self.side, device=self.device).to(self.dtype) for _ in range(2)
        )
        before = torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = self.tf32
        try:
            work: Callable[[Callable[[], object]], float] = (
                _seconds if self.device == "cuda" else _host_seconds
            )
            seconds = work(_product(first, second))
            return 2.0 * self.side**3 / seconds
        finally:
            torch.backends.cuda.matmul.allow_tf32 = before


def _product(first: torch.Tensor, second: torch.Tensor) -> Callable[[], object]:
    other = second.t().contiguous().t()  # by columns, as tensor cores want these dtypes
    if first.dtype == torch.int8:
        return lambda: torch._int_mm(first, other)  # noqa: SLF001 - no public name yet
    if first.dtype == torch.float8_e4m3fn:
        one = torch.ones(1, device=first.device)
        scaled = torch._scaled_mm  # noqa: SLF001 - no public name yet
        return lambda: scaled(first, other, one, one, out_dtype=torch.bfloat16)
    return lambda: first @ second


def _multiplications(device: str, side: int) -> Mapping[str, Callable[[], float]]:
    return {
        "float32": _Multiplied(device, side, torch.float32),
        "tf32": _Multiplied(device, side, torch.float32, tf32=True),
        "bfloat16": _Multiplied(device, side, torch.bfloat16),
        "float16": _Multiplied(device, side, torch.float16),
        "float8": _Multiplied(device, side, torch.float8_e4m3fn),
        "int8": _Multiplied(device, side, torch.int8),
    }


def _seconds(work: Callable[[], object]) -> float:
    """The median time of something on the device, by its own clock."""
    work()
    torch.cuda.synchronize()
    times = []
    for _ in range(_REPETITIONS):
        begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begun.record()
        work()
        ended.record()
        ended.synchronize()
        times.append(begun.elapsed_time(ended) / 1e3)
    return float(statistics.median(times))


def _host_seconds(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(_REPETITIONS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def _state() -> dict[str, Any]:
    """Clocks, power and what slows the device down, right after it worked; empty if unknown."""
    command = ["nvidia-smi", f"--query-gpu={','.join(_QUERY)}", "--format=csv,noheader,nounits"]
    with contextlib.suppress(OSError, subprocess.SubprocessError, IndexError):
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
        values = done.stdout.splitlines()[torch.cuda.current_device()].split(",")
        return {name: value.strip() for name, value in zip(_QUERY, values, strict=False)}
    return {}
