"""NVIDIA's GPUs, from the vendor's published documents: what Inductor and the analyses ask of one.

Every GPU names its documents. What follows from the compute capability alone (registers, shared
memory, threads per multiprocessor) is from the CUDA C++ Programming Guide 13.0, section "Compute
Capabilities", table "Technical Specifications per Compute Capability". Peaks are dense, with the
boost clock, for all multiprocessors, in operations per second; bandwidth is the memory's.
"""

import dataclasses
from collections.abc import Mapping
from typing import Final

KIB: Final = 1024
MIB: Final = 1024**2
GIB: Final = 1024**3


@dataclasses.dataclass(frozen=True, slots=True)
class Architecture:
    """What all GPUs of a compute capability share.

    Attributes:
        threads_per_multiprocessor: The most that are resident at a time.
        blocks_per_multiprocessor: The most that are resident at a time.
        registers_per_multiprocessor: Of 32 bits.
        shared_bytes_per_multiprocessor: All of it, what the system takes of each block included.
        shared_bytes_per_block: The most for one block, where the kernel asks for it.
    """

    capability: tuple[int, int]
    name: str
    threads_per_multiprocessor: int
    blocks_per_multiprocessor: int
    registers_per_multiprocessor: int
    shared_bytes_per_multiprocessor: int
    shared_bytes_per_block: int


MULTIPROCESSORS_TUNED = 68
"""The fewest with which Inductor has templates for matrix products and convolutions
(`is_big_gpu` in torch/_inductor/utils.py, 2.11 to 2.13)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU.

    Attributes:
        key: Name of the GPU for ``--gpu``.
        name: Name from ``torch.cuda.get_device_name`` if known, otherwise NVIDIA's name.
        bandwidth: Bytes per second of device memory.
        peaks: Peak dense operations per second by dtype. ``float32`` excludes tensor cores,
            ``float64`` is the faster of both, and all other dtypes use tensor cores.
        assumed: Whether this is an entry for a whole architecture, with the figures of one of its
            GPUs.
    """

    key: str
    name: str
    architecture: Architecture
    multiprocessors: int
    memory_bytes: int
    bandwidth: float
    l2_bytes: int
    clock_hz: int
    peaks: Mapping[str, float]
    sources: tuple[str, ...]
    assumed: bool = False

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability, as (major, minor)."""
        return self.architecture.capability

    @property
    def arch(self) -> int:
        """The compute capability as Triton writes it: 90."""
        return self.capability[0] * 10 + self.capability[1]

    @property
    def tunes_products(self) -> bool:
        """Whether Inductor has templates for matrix products and convolutions on it."""
        return self.multiprocessors >= MULTIPROCESSORS_TUNED


def _architecture(  # noqa: PLR0913, PLR0917 - one row of the table
    capability: tuple[int, int], name: str, threads: int, blocks: int, shared: int, per_block: int
) -> Architecture:
    return Architecture(capability, name, threads, blocks, 65536, shared * KIB, per_block * KIB)


# CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
ARCHITECTURES: Final[Mapping[tuple[int, int], Architecture]] = {
    found.capability: found
    for found in (
        _architecture((7, 5), "Turing", 1024, 16, 64, 64),
        _architecture((8, 0), "Ampere", 2048, 32, 164, 163),
        _architecture((8, 6), "Ampere", 1536, 16, 100, 99),
        _architecture((8, 9), "Ada", 1536, 24, 100, 99),
        _architecture((9, 0), "Hopper", 2048, 32, 228, 227),
        _architecture((10, 0), "Blackwell", 2048, 32, 228, 227),
        _architecture((12, 0), "Blackwell", 1536, 24, 100, 99),
    )
}
