"""What a multiprocessor does in a clock cycle.

From NVIDIA's CUDA C++ programming guide, "Arithmetic instructions: throughput of native arithmetic
instructions", in results per clock cycle and multiprocessor. Which pipe an instruction uses is from
the Nsight Compute documentation, "Pipelines": ALU (logic, comparisons, integer additions), FMA
(floating-point and integer multiplications, the latter in its heavy half), XU (special functions
and conversions), FP64, LSU (memory, shuffles) and the uniform datapath, one result for a warp.
"""

from __future__ import annotations

from inspector.features.kernels.binary.opcodes import kind_of
from inspector.features.kernels.binary.sass import Instruction
from inspector.run.kernel_analysis import InstructionKind

ISSUED = 128
"""Instructions of all kinds in a cycle: four schedulers with a warp each."""
_USUAL = {
    "fp32": 128,
    "fp64": 64,
    "special function": 16,
    "integer": 64,
    "integer multiply": 64,
    "load and store": 32,
}
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


_BY_CAPABILITY: dict[int, dict[str, int]] = {
    70: {"fp32": 64, "fp64": 32},
    75: {"fp32": 64, "fp64": 2},
    80: {"fp32": 64, "fp64": 32},
    86: {"fp64": 2},
    90: {},
    103: {"fp64": 2},
}


def per_cycle(capability: int) -> dict[str, int]:
    """Results of each pipe per cycle, of a capability or the next lower one that is known."""
    known = [number for number in _BY_CAPABILITY if number <= capability]
    return _USUAL | _BY_CAPABILITY[max(known, default=70)]
