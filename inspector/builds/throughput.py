"""What a multiprocessor does in a clock cycle.

From NVIDIA's CUDA C++ programming guide, "Arithmetic instructions: throughput of native arithmetic
instructions", in results per clock cycle and multiprocessor.
"""

from __future__ import annotations

import dataclasses

from inspector.model.kernel_analysis import InstructionKind

__all__ = ["PerCycle", "per_cycle"]


@dataclasses.dataclass(frozen=True, slots=True)
class PerCycle:
    """Results per clock cycle of one multiprocessor.

    Attributes:
        issued: Instructions of all kinds: four schedulers with a warp each.
        fp32: Single precision.
        fp64: Double precision.
        special: Special functions.
        integer: 32-bit integers and logic.
        conversion: Conversions between types.
        shared: Shared memory, shuffles and other accesses.
    """

    issued: int = 128
    fp32: int = 128
    fp64: int = 64
    special: int = 16
    integer: int = 64
    conversion: int = 64
    shared: int = 32

    def of(self, kind: InstructionKind) -> int:
        """Results of a kind of instruction per cycle."""
        return {
            InstructionKind.FP32: self.fp32,
            InstructionKind.FP16: self.fp32,
            InstructionKind.FP64: self.fp64,
            InstructionKind.SPECIAL: self.special,
            InstructionKind.INTEGER: self.integer,
            InstructionKind.CONVERSION: self.conversion,
            InstructionKind.SHARED: self.shared,
            InstructionKind.SHUFFLE: self.shared,
            InstructionKind.GLOBAL_LOAD: self.shared,
            InstructionKind.GLOBAL_STORE: self.shared,
            InstructionKind.ASYNC_COPY: self.shared,
            InstructionKind.LOCAL: self.shared,
            InstructionKind.ATOMIC: self.shared,
        }.get(kind, self.issued)


_BY_CAPABILITY = {
    70: PerCycle(fp32=64, fp64=32, conversion=16),
    75: PerCycle(fp32=64, fp64=2, conversion=16),
    80: PerCycle(fp32=64, fp64=32, conversion=16),
    86: PerCycle(fp64=2),
    89: PerCycle(fp64=2),
    90: PerCycle(),
    100: PerCycle(),
    103: PerCycle(fp64=2),
    120: PerCycle(fp64=2),
}


def per_cycle(capability: int) -> PerCycle:
    """Throughputs of a capability, or of the next lower one that is known."""
    known = [number for number in _BY_CAPABILITY if number <= capability]
    return _BY_CAPABILITY[max(known, default=70)]
