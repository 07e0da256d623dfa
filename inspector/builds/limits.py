"""A GPU's figures as the analyses of compiled kernels take them."""

from __future__ import annotations

from inspector.model.gpus import Gpu
from inspector.model.kernel_build import GpuLimits

# What the table of GPUs calls a dtype, and what the analyses call the unit that multiplies it.
_UNITS = {
    "tf32": "tensor tf32",
    "float16": "tensor fp16",
    "bfloat16": "tensor bf16",
    "float8": "tensor fp8",
    "int8": "tensor int8",
    "float64": "tensor fp64",
    "float32": "fp32",
}


def limits_of(gpu: Gpu) -> GpuLimits:
    """The figures of a GPU of the table."""
    architecture = gpu.architecture
    return GpuLimits(
        name=gpu.name,
        capability=gpu.arch,
        multiprocessors=gpu.multiprocessors,
        registers=architecture.registers_per_multiprocessor,
        shared_bytes=architecture.shared_bytes_per_multiprocessor,
        shared_block_bytes=architecture.shared_bytes_per_block,
        threads=architecture.threads_per_multiprocessor,
        blocks=architecture.blocks_per_multiprocessor,
        l2_bytes=gpu.l2_bytes,
        bandwidth_bytes_per_second=gpu.bandwidth,
        clock_hz=float(gpu.clock_hz),
        peaks=tuple((_UNITS[name], peak) for name, peak in gpu.peaks.items() if name in _UNITS),
    )
