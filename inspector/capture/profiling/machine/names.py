"""The names of what is measured, in the order in which it is."""

from __future__ import annotations

_DTYPES = ("float32", "tf32", "bfloat16", "float16", "float8", "int8")

GPU_NAMES = (
    "copy_bytes_per_s",
    "host_to_device_bytes_per_s",
    *(f"{dtype}_flops_per_s" for dtype in _DTYPES),
    "kernel_floor_ns",
    "l2_bytes_per_s",
)
"""Of a GPU. Those that need CUPTI come last: its callbacks make every launch after them slower."""

CPU_NAMES = (
    "copy_bytes_per_s",
    "float32_flops_per_s",
    "bfloat16_flops_per_s",
)
"""Of a CPU."""
