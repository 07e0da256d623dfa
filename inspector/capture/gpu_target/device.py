"""Everything in torch that asks for the device gets the target's answer."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
import torch._utils_internal
import triton
from torch._dynamo import device_interface
from torch._inductor import scheduler
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.hints import DeviceProperties

from inspector.capture.hooks import nothing
from inspector.capture.kernel_builds.tools import AbsentDriver
from inspector.shared.gpus import Gpu

_Memo = type(functools.lru_cache(lambda: None))
# Modules whose memos may hold answers about a device, and functions there that are to run once.
_MEMOS = ("torch._inductor", "torch.utils._triton", "torch._utils_internal")
_ONCE = ("init", "register", "pattern", "config", "code_hash", "system", "cache_dir")


@contextmanager
def answers_of(gpu: Gpu) -> Iterator[None]:
    """Torch and Triton believe that the only device is a GPU, inside of the ``with``."""
    properties = device_properties(gpu)
    driver = triton.runtime.driver
    active = driver.__dict__.get("_active"), driver.__dict__.get("_default")
    _forget()
    with ExitStack() as stack:
        for owner, name, value in _answers(gpu, properties):
            if hasattr(owner, name):
                stack.enter_context(mock.patch.object(owner, name, value))
        # The CPU build has none.
        name = "_cuda_cudaCachingAllocator_is_enabled"
        stack.enter_context(mock.patch.object(torch._C, name, create=True, return_value=True))  # noqa: SLF001
        stack.callback(_forget)
        stack.callback(driver.__dict__.update, {"_active": active[0], "_default": active[1]})
        driver.set_active(_TargetDriver(gpu))
        yield


def _answers(gpu: Gpu, properties: object) -> list[tuple[object, str, Any]]:
    capability = gpu.capability
    cuda: dict[str, Any] = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "is_initialized": lambda: True,
        "is_current_stream_capturing": lambda: False,  # Dynamo asks, from 2.14 on
        "_lazy_init": nothing,
        "synchronize": nothing,
        "set_device": nothing,
        "_exchange_device": lambda _device: 0,
        "_maybe_exchange_device": lambda _device: 0,
        "get_device_properties": lambda *_: properties,
        "get_device_capability": lambda *_: capability,
        "get_device_name": lambda *_: gpu.name,
        "get_arch_list": lambda: [f"sm_{gpu.arch}"],
        "is_bf16_supported": lambda *_, **__: capability >= (8, 0),
        "is_tf32_supported": lambda: capability >= (8, 0),
        "mem_get_info": lambda *_: (gpu.memory_bytes, gpu.memory_bytes),
        # They are kept around a trace, so that it leaves the generator as it was.
        "get_rng_state": lambda *_: torch.get_rng_state(),
        "set_rng_state": nothing,
    }
    interface = {
        "is_available": staticmethod(lambda: True),
        "current_device": staticmethod(lambda: 0),
        "device_count": staticmethod(lambda: 1),
        "synchronize": staticmethod(nothing),
        "get_device_properties": staticmethod(lambda *_: properties),
        "get_compute_capability": staticmethod(lambda *_: gpu.arch),
        "is_bf16_supported": staticmethod(lambda *_, **__: capability >= (8, 0)),
        "is_triton_capable": staticmethod(lambda *_: True),
        "raise_if_triton_unavailable": staticmethod(nothing),
    }
    return [
        *((torch.cuda, name, value) for name, value in cuda.items()),
        *((device_interface.CudaInterface, name, value) for name, value in interface.items()),
        (device_interface.CudaInterface.Worker, "get_device_properties",
         staticmethod(lambda *_: properties)),
        (device_interface.CudaInterface.Worker, "current_device", staticmethod(lambda: 0)),
        # Only asked for the current stream, of which there is none.
        (torch.accelerator, "is_available", lambda: False),
        (torch.version, "cuda", torch.version.cuda or "13.0"),
        (torch._utils_internal, "max_clock_rate", lambda: gpu.clock_hz // 1_000_000),  # noqa: SLF001
        (scheduler, "has_triton", lambda *_: True),
        (triton_helpers, "set_driver_to_gpu", nothing),
    ]  # fmt: skip


def _forget() -> None:
    """Empties the memos of Inductor's functions, before and after: they may be about a device."""
    for name, module in list(sys.modules.items()):
        if not name.startswith(_MEMOS) or module is None:
            continue
        for function in list(vars(module).values()):
            if isinstance(function, _Memo) and not any(w in function.__name__ for w in _ONCE):
                function.cache_clear()
    DeviceProperties.create.cache_clear()


# Any width: Triton multiplies it with the clock, and the product is the published bandwidth.
_BUS_BITS = 1024
_DATA_RATE = 2


def device_properties(gpu: Gpu) -> SimpleNamespace:
    """What ``torch.cuda.get_device_properties`` gives."""
    architecture = gpu.architecture
    major, minor = architecture.capability
    return SimpleNamespace(
        name=gpu.name,
        major=major,
        minor=minor,
        multi_processor_count=gpu.multiprocessors,
        total_memory=gpu.memory_bytes,
        regs_per_multiprocessor=architecture.registers_per_multiprocessor,
        max_threads_per_multi_processor=architecture.threads_per_multiprocessor,
        max_threads_per_block=1024,
        warp_size=32,
        shared_memory_per_block=48 * 1024,
        shared_memory_per_block_optin=architecture.shared_bytes_per_block,
        shared_memory_per_multiprocessor=architecture.shared_bytes_per_multiprocessor,
        L2_cache_size=gpu.l2_bytes,
        clock_rate=gpu.clock_hz // 1000,
        memory_clock_rate=_memory_clock_khz(gpu),
        memory_bus_width=_BUS_BITS,
        is_integrated=0,
        is_multi_gpu_board=0,
        gcnArchName=gpu.name,
    )


def _memory_clock_khz(gpu: Gpu) -> int:
    """The clock at which ``triton.testing.get_dram_gbps`` gets the bandwidth."""
    return round(gpu.bandwidth * 8 / _DATA_RATE / _BUS_BITS / 1000)


class _TargetDriver(AbsentDriver):
    """It also says where Triton asks for the device and what it has; it launches nothing."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu.arch)
        properties = {
            "max_shared_mem": gpu.architecture.shared_bytes_per_block,
            "max_num_regs": gpu.architecture.registers_per_multiprocessor,
            "multiprocessor_count": gpu.multiprocessors,
            "warpSize": 32,
            "sm_clock_rate": gpu.clock_hz // 1000,
            "mem_clock_rate": _memory_clock_khz(gpu),
            "mem_bus_width": _BUS_BITS,
        }
        self.utils = SimpleNamespace(get_device_properties=lambda _device: dict(properties))
        self.get_device_interface = lambda: torch.cuda
        self.get_active_torch_device = lambda: torch.device("cuda", 0)
