"""Occupancy against figures of NVIDIA's occupancy calculator."""

from __future__ import annotations

import pytest

from inspector.features.kernels.binary.analyse import occupancy_of
from inspector.run.kernel_analysis import OccupancyLimit
from inspector.shared.gpus import ARCHITECTURES
from inspector.shared.kernel_build import Resources

HOPPER, A10G = ARCHITECTURES[9, 0], ARCHITECTURES[8, 6]


@pytest.mark.parametrize(
    ("registers", "shared", "warps", "blocks", "limit"),
    [
        (32, 0, 8, 8, OccupancyLimit.WARPS),
        (33, 0, 8, 6, OccupancyLimit.REGISTERS),
        (64, 0, 4, 8, OccupancyLimit.REGISTERS),
        (128, 0, 16, 1, OccupancyLimit.REGISTERS),
        (255, 0, 1, 8, OccupancyLimit.REGISTERS),
        (168, 49152, 4, 3, OccupancyLimit.REGISTERS),
        (193, 147456, 8, 1, OccupancyLimit.REGISTERS),
        (32, 65536, 4, 3, OccupancyLimit.SHARED_MEMORY),
        (16, 0, 1, 32, OccupancyLimit.BLOCKS),
    ],
)
def test_blocks_of_a_multiprocessor(
    registers: int, shared: int, warps: int, blocks: int, limit: OccupancyLimit
) -> None:
    occupancy = occupancy_of(Resources(registers, shared_bytes=shared), warps, HOPPER)
    assert (occupancy.blocks, limit in occupancy.limits) == (blocks, True)
    assert occupancy.warps == blocks * warps


def test_another_capability_has_other_limits() -> None:
    occupancy = occupancy_of(Resources(32), 8, A10G)
    assert (occupancy.blocks, occupancy.share) == (6, 1.0)
    small = occupancy_of(Resources(16), 1, A10G)
    assert (small.blocks, small.limits) == (16, (OccupancyLimit.BLOCKS,))


def test_a_block_that_does_not_fit() -> None:
    occupancy = occupancy_of(Resources(32, shared_bytes=300_000), 4, HOPPER)
    assert (occupancy.blocks, occupancy.limits) == (0, (OccupancyLimit.SHARED_MEMORY,))
