"""One generated kernel as compiled for one GPU: each configuration and what its binary needs."""

import dataclasses

from inspector.records.record import SignedInt


@dataclasses.dataclass(frozen=True, slots=True)
class Resources:
    """What a binary needs, from ptxas and Triton.

    Attributes:
        stack_bytes: Stack frame of a thread; what the driver calls local memory. A quarter of it
            is what `CachingAutotuner` reports as ``n_spills``.
        spill_store_bytes: Bytes spilled per thread, or None if ptxas did not report them.
        static_shared_bytes: Shared memory that is part of the binary, without what is reserved.
    """

    registers: int
    stack_bytes: int = 0
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    shared_bytes: int = 0
    static_shared_bytes: int = 0

    @property
    def spilled_registers(self) -> int:
        """Number of spilled registers, which Triton reports as ``n_spills``."""
        return self.stack_bytes // 4


@dataclasses.dataclass(frozen=True, slots=True)
class ConfigBuild:
    """One configuration of a kernel, compiled.

    Attributes:
        scaled: Whether `CachingAutotuner` adds it after it has seen the registers of another.
        grid: Number of blocks by axis; empty if it cannot be determined from the source.
        grid_is_exact: Whether ``grid`` was computed from the exact sizes in the source, not from
            rounded size hints.
        launched_warps: Warps of a block as compiled: warp specialisation adds some.
        texts: File by kind (``ttgir``, ``ptx``, ``sass``, …), relative to the build's folder.
    """

    values: tuple[tuple[str, SignedInt | str | bool | None], ...]
    num_warps: int
    num_stages: int
    num_ctas: int = 1
    scaled: bool = False
    grid: tuple[int, ...] = ()
    grid_is_exact: bool = False
    launched_warps: int = 0
    resources: Resources | None = None
    texts: tuple[tuple[str, str], ...] = ()
    error: str = ""

    def text(self, kind: str) -> str | None:
        """The file of a kind of text, or None."""
        return dict(self.texts).get(kind)


@dataclasses.dataclass(frozen=True, slots=True)
class KernelBuild:
    """One kernel, compiled for one GPU in every configuration that would be tried there.

    Attributes:
        heuristic: Inductor's name of its kind: ``pointwise``, ``reduction``, ``template``, ….
        capability: What its source was generated for, 90 for 9.0.
        arguments: Triton type by name of argument, ``*bf16`` for a pointer.
        versions: Version by name of what compiled it: ``torch``, ``triton``, ``ptxas``.
    """

    name: str
    key: str
    folder: str = ""
    heuristic: str = ""
    capability: int | None = None
    arguments: tuple[tuple[str, str], ...] = ()
    constants: tuple[tuple[str, SignedInt | str | bool | None], ...] = ()
    configs: tuple[ConfigBuild, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    error: str = ""
    cached: bool = False
    source_sha256: str = ""
