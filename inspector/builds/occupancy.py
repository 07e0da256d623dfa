"""Blocks that a multiprocessor holds.

The formula of NVIDIA's CUDA occupancy calculator (``cuda_occupancy.h`` of the CUDA toolkit and the
Nsight Compute documentation, "Occupancy Calculator"), with the limits of the CUDA C++ programming
guide, "Technical specifications per compute capability".
"""

from __future__ import annotations

from inspector.model.kernel_analysis import Occupancy, OccupancyLimit
from inspector.model.kernel_build import GpuLimits, Resources

_WARP = 32
# cuda_occupancy.h: registers are given to warps, 256 at a time, by one of four sub-processors.
_REGISTER_UNIT = 256
_SUB_PROCESSORS = 4
# cuda_occupancy.h, cudaOccSMemAllocationGranularity: 256 bytes up to 7.x, 128 from 8.0 on; and what
# the system takes of every block, cudaDeviceProp.reservedSharedMemPerBlock: 1 KiB from 8.0 on.
_NEW_SHARED = 80
_SHARED_UNITS = (256, 128)
_RESERVED_BYTES = 1024


def occupancy_of(resources: Resources, warps: int, limits: GpuLimits) -> Occupancy:
    """How full a multiprocessor can be with blocks of one kernel."""
    blocks_by = {
        OccupancyLimit.REGISTERS: _by_registers(resources.registers, warps, limits),
        OccupancyLimit.SHARED_MEMORY: _by_shared_memory(resources, limits),
        OccupancyLimit.WARPS: limits.threads // _WARP // warps if warps else 0,
        OccupancyLimit.BLOCKS: limits.blocks,
    }
    blocks = min(blocks_by.values())
    limited = tuple(limit for limit, most in blocks_by.items() if most == blocks)
    most_warps = limits.threads // _WARP
    if not blocks:
        limited = (OccupancyLimit.TOO_LARGE, *limited)
    return Occupancy(blocks, blocks * warps, most_warps, limited, tuple(blocks_by.items()))


def _by_registers(registers: int, warps: int, limits: GpuLimits) -> int:
    if not registers or not warps:
        return limits.blocks
    of_warp = -(-registers * _WARP // _REGISTER_UNIT) * _REGISTER_UNIT
    of_sub_processor = limits.registers // _SUB_PROCESSORS
    held = of_sub_processor // of_warp * _SUB_PROCESSORS
    rounded = -(-warps // _SUB_PROCESSORS) * _SUB_PROCESSORS
    return held // rounded if warps >= _SUB_PROCESSORS else held // warps


def _by_shared_memory(resources: Resources, limits: GpuLimits) -> int:
    asked = resources.shared_bytes + resources.static_shared_bytes
    is_new = limits.capability >= _NEW_SHARED
    if asked > limits.shared_block_bytes:
        return 0
    asked += _RESERVED_BYTES if is_new else 0
    unit = _SHARED_UNITS[is_new]
    taken = -(-asked // unit) * unit
    return limits.shared_bytes // taken if taken else limits.blocks
