"""The shortest kernel, and the bandwidth of the L2 cache, as CUPTI sees them.

Torch has no function for launching an empty kernel: the CUDA driver itself does it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import torch

from inspector.capture.profiling.machine.timing import Measured, of_samples, rate
from inspector.capture.profiling.trace import traced

_EMPTY = "inspector_empty_kernel"
_BASE_CAPABILITY = 75
# The driver translates it: neither a compiler nor Triton is needed. PTX for 7.5 runs on all GPUs
# from there on ("PTX ISA", .target and .version: 6.3 is the first with sm_75).
_PTX = """
.version 6.3
.target sm_{capability}
.address_size 64
.visible .entry {name}() {{ ret; }}
"""
_ONE = ctypes.c_uint(1)
_THREADS = ctypes.c_uint(32)
_NOTHING = ctypes.c_uint(0)
_WATCHED = 40


class _EmptyKernel:
    """A kernel that does nothing, launched by ``cuLaunchKernel``.

    Raises:
        OSError: There is no driver's library.
        RuntimeError: The driver refuses something; its own name for the reason.
    """

    def __init__(self, device: torch.device) -> None:
        torch.cuda.set_device(device)
        torch.zeros(1, device=device)  # a context is there once something was done
        self._library = ctypes.CDLL("libcuda.so.1")
        major, minor = torch.cuda.get_device_capability(device)
        ptx = _PTX.format(capability=min(_BASE_CAPABILITY, 10 * major + minor), name=_EMPTY)
        module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        self._check(self._library.cuModuleLoadData(ctypes.byref(module), ptx.encode()))
        self._check(
            self._library.cuModuleGetFunction(ctypes.byref(self._function), module, _EMPTY.encode())
        )
        self.launch(1)
        torch.cuda.synchronize(device)

    def launch(self, times: int) -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        grid, block = (_ONE, _ONE, _ONE), (_THREADS, _ONE, _ONE)
        for _ in range(times):  # without shared memory, and without parameters
            self._check(
                self._library.cuLaunchKernel(
                    self._function, *grid, *block, _NOTHING, stream, None, None
                )
            )

    def _check(self, result: int) -> None:
        if result:
            name = ctypes.c_char_p()
            self._library.cuGetErrorName(result, ctypes.byref(name))
            raise RuntimeError((name.value or b"").decode() or f"CUDA error {result}")


def watched(device: torch.device, l2_bytes: int) -> Iterator[tuple[str, Measured]]:
    """What CUPTI, which times the kernels of profiles, sees of an empty kernel and the L2 cache.

    Half of the cache is copied over and over, by the driver and by a kernel: the faster counts.
    """
    empty = _EmptyKernel(device)
    size = l2_bytes // 4
    source = torch.ones(max(size // 4, 1), dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    with traced(with_device=True, with_host=False) as seen:
        empty.launch(_WATCHED)
        for _ in range(_WATCHED):
            target.copy_(source)
        for _ in range(_WATCHED):
            torch.neg(source, out=target)
        torch.cuda.synchronize(device)
    times: dict[str, list[float]] = {"empty": [], "memcpy": [], "kernel": []}
    for event in seen.trace.device:
        kind = "empty" if event.launch.name.startswith(_EMPTY) else event.launch.kind
        times.setdefault(kind, []).append(event.end_ns - event.start_ns)
    if not times["empty"]:
        raise RuntimeError("CUPTI recorded no kernel")
    yield "kernel_floor_ns", of_samples(times["empty"][_WATCHED // 4 :])
    if size:
        found = [
            rate(2.0 * source.nbytes * 1e9, of_samples(times[kind][_WATCHED // 4 :]))
            for kind in ("memcpy", "kernel")
            if len(times[kind]) >= _WATCHED // 2
        ]
        if found:
            yield "l2_bytes_per_s", max(found, key=lambda item: item.value)
