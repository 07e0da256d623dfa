"""What a compiled kernel does, read from its instructions and its intermediate code."""

import dataclasses
import enum
from collections.abc import Mapping


class InstructionKind(enum.Enum):
    """What a machine instruction does."""

    TENSOR = "tensor core"
    FP64 = "fp64"
    FP32 = "fp32"
    FP16 = "fp16"
    SPECIAL = "special function"
    INTEGER = "integer"
    CONVERSION = "conversion"
    GLOBAL_LOAD = "global load"
    GLOBAL_STORE = "global store"
    ASYNC_COPY = "async copy"
    TMA = "TMA"
    SHARED = "shared memory"
    LOCAL = "local memory"
    CONSTANT = "constant"
    ATOMIC = "atomic"
    BARRIER = "barrier"
    WAIT = "wait"
    SHUFFLE = "shuffle"
    BRANCH = "branch"
    NOTHING = "no operation"


class AccessKind(enum.Enum):
    """How global memory is used."""

    LOAD = "load"
    STORE = "store"
    ASYNC_COPY = "async copy"
    ATOMIC = "atomic"


class OccupancyLimit(enum.Enum):
    """What limits the blocks that a multiprocessor holds."""

    REGISTERS = "registers"
    SHARED_MEMORY = "shared memory"
    WARPS = "warps"
    BLOCKS = "blocks"


@dataclasses.dataclass(frozen=True, slots=True)
class Occupancy:
    """How full a multiprocessor can be."""

    blocks: int
    warps: int
    most_warps: int
    limits: tuple[OccupancyLimit, ...]

    @property
    def share(self) -> float:
        """Warps of the most."""
        return self.warps / self.most_warps if self.most_warps else 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Width:
    """Bytes loaded or stored with accesses of one width.

    Attributes:
        bytes: Bytes that one program moves with these accesses, including loop iterations with
            known trip counts.
    """

    bits: int
    instructions: int
    bytes: int


@dataclasses.dataclass(frozen=True, slots=True)
class Access:
    """One use of global memory in the kernel's source.

    Attributes:
        trips: How often a program executes it, or None if unknown.
        bytes: What a program uses of memory with it, each byte once; one trip if unknown.
        touched_bytes: What memory delivers for it, in whole sectors, or None.
        stride: From one element to the next one in memory, or None; 0 where all are the same.
        alignment_bytes: What its first address is a multiple of (at most 16), or None.
    """

    kind: AccessKind
    line: int
    argument: str
    dtype: str
    elements: int
    trips: int | None
    bytes: int
    touched_bytes: int | None = None
    contiguous: int | None = None
    stride: int | None = None
    is_indirect: bool = False
    is_masked: bool = False
    alignment_bytes: int | None = None
    index_bits: int = 32
    bits: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Loop:
    """A loop in the instructions.

    Attributes:
        bytes_moved: Widths of its global accesses in sum, in bytes of a thread.
        source: Number of the loop in the TTGIR that it comes from, or None.
    """

    first: int
    last: int
    bytes_moved: int = 0
    source: int | None = None

    @property
    def instructions(self) -> int:
        """How long it is."""
        return self.last - self.first + 1


@dataclasses.dataclass(frozen=True, slots=True)
class ConfigAnalysis:
    """Analysis of one kernel configuration.

    Attributes:
        instructions: How many there are of each kind.
        tensor_cores: Count by opcode and dtype of matrix instructions (``HGMMA bf16``).
        fma_dots: Line and dtype of matrix products that do not use tensor cores.
    """

    occupancy: Occupancy | None
    loads: tuple[Width, ...] = ()
    stores: tuple[Width, ...] = ()
    accesses: tuple[Access, ...] = ()
    instructions: Mapping[InstructionKind, int] = dataclasses.field(default_factory=dict)
    tensor_cores: tuple[tuple[str, int], ...] = ()
    fma_dots: tuple[tuple[int, str], ...] = ()
    float64_lines: tuple[int, ...] = ()
    int64_lines: tuple[int, ...] = ()

    def count(self, kind: InstructionKind) -> int:
        """How many instructions of a kind there are."""
        return self.instructions.get(kind, 0)
