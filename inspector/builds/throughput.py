"""What a multiprocessor does in a clock cycle.

From NVIDIA's CUDA C++ programming guide, "Arithmetic instructions: throughput of native arithmetic
instructions", in results per clock cycle and multiprocessor. Which pipe an instruction uses is from
the Nsight Compute documentation, "Pipelines": ALU (logic, comparisons, integer additions), FMA
(floating-point and integer multiplications, the latter in its heavy half), XU (special functions
and conversions), FP64, LSU (memory, shuffles) and the uniform datapath, one result for a warp.
"""

from __future__ import annotations

import dataclasses

from inspector.builds.opcodes import kind_of
from inspector.builds.sass import Instruction
from inspector.model.kernel_analysis import InstructionKind


@dataclasses.dataclass(frozen=True, slots=True)
class PerCycle:
    """Results per clock cycle of one multiprocessor.

    Attributes:
        issued: Instructions of all kinds: four schedulers with a warp each.
        fp32: Multiplications and additions in single precision.
        integer: Integer additions, logic, comparisons.
        shared: Shared memory, shuffles and other accesses.
    """

    issued: int = 128
    fp32: int = 128
    fp64: int = 64
    special: int = 16
    integer: int = 64
    multiply: int = 64
    shared: int = 32

    def of(self, pipe: str) -> int:
        """Results of a pipe per cycle, or 0 for those that are never the slowest."""
        return {
            "fp32": self.fp32,
            "fp64": self.fp64,
            "special function": self.special,
            "integer": self.integer,
            "integer multiply": self.multiply,
            "load and store": self.shared,
        }.get(pipe, 0)


_PIPES = {
    InstructionKind.FP32: "fp32",
    InstructionKind.FP16: "fp32",
    InstructionKind.FP64: "fp64",
    InstructionKind.SPECIAL: "special function",
    InstructionKind.CONVERSION: "special function",
    InstructionKind.INTEGER: "integer",
    InstructionKind.SHARED: "load and store",
    InstructionKind.SHUFFLE: "load and store",
    InstructionKind.GLOBAL_LOAD: "load and store",
    InstructionKind.GLOBAL_STORE: "load and store",
    InstructionKind.ASYNC_COPY: "load and store",
    InstructionKind.LOCAL: "load and store",
    InstructionKind.ATOMIC: "load and store",
}
_MOVES = ("MOV", "SHL", "IADD")
_ALU = {"FSEL", "FSET", "FSETP", "FMNMX", "FMNMX3", "I2FP", "F2FP", "HSETP2", "HSET2", "HMNMX2"}


def pipe_of(instruction: Instruction) -> str:
    """The pipe that an instruction uses, or an empty string where it does not matter."""
    if instruction.opcode.startswith(("U", "R2UR", "S2UR")):
        return ""
    if instruction.opcode in _ALU:
        return "integer"
    if instruction.opcode in {"IMAD", "IDP"}:
        is_move = any(part in _MOVES for part in instruction.modifiers)
        return "fp32" if is_move else "integer multiply"
    return _PIPES.get(kind_of(instruction), "")


_BY_CAPABILITY = {
    70: PerCycle(fp32=64, fp64=32),
    75: PerCycle(fp32=64, fp64=2),
    80: PerCycle(fp32=64, fp64=32),
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
