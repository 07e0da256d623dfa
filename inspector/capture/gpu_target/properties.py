"""What torch and Triton are told of the GPU that is not there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from triton.backends.compiler import GPUTarget

from inspector.model.gpus import Gpu

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


class TargetDriver:
    """A Triton driver for a GPU that is not there: it says what it is, and launches nothing."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self.utils = SimpleNamespace(get_device_properties=lambda _device: self._properties())

    def _properties(self) -> dict[str, int]:
        return {
            "max_shared_mem": self._gpu.architecture.shared_bytes_per_block,
            "max_num_regs": self._gpu.architecture.registers_per_multiprocessor,
            "multiprocessor_count": self._gpu.multiprocessors,
            "warpSize": 32,
            "sm_clock_rate": self._gpu.clock_hz // 1000,
            "mem_clock_rate": _memory_clock_khz(self._gpu),
            "mem_bus_width": _BUS_BITS,
        }

    def get_current_target(self) -> GPUTarget:
        """What Triton compiles for."""
        return GPUTarget("cuda", self._gpu.arch, 32)

    def get_current_device(self) -> int:
        """The only one."""
        return 0

    def get_current_stream(self, _device: int = 0) -> int:
        """The default stream."""
        return 0

    def get_device_interface(self) -> Any:  # noqa: ANN401 - a module of torch
        """Where Triton asks for the device."""
        return torch.cuda

    def get_active_torch_device(self) -> Any:  # noqa: ANN401 - torch is Any to mypy
        """The device of tensors."""
        return torch.device("cuda", 0)

    def is_active(self) -> bool:
        """Whether it is the one to use."""
        return True
