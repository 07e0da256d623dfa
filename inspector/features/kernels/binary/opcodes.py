"""What machine instructions do.

Names from NVIDIA's CUDA Binary Utilities, instruction set reference (Turing to Blackwell), and from
what ptxas 12.8, 12.9 and 13.0 made of the recorded kernels.
"""

from inspector.features.kernels.binary.sass import Instruction
from inspector.run.kernel_analysis import InstructionKind

_KINDS: dict[InstructionKind, tuple[str, ...]] = {
    InstructionKind.TENSOR: (
        "HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "QGMMA", "BGMMA",
        "UTCHMMA", "UTCQMMA", "UTCIMMA", "UTCOMMA", "UTCMMA",
    ),
    InstructionKind.FP64: ("DADD", "DFMA", "DMUL", "DSETP", "DMNMX"),
    InstructionKind.SPECIAL: ("MUFU",),
    InstructionKind.FP32: (
        "FADD", "FADD2", "FFMA", "FFMA2", "FMUL", "FMUL2", "FSEL", "FSET", "FSETP", "FMNMX",
        "FMNMX3", "FCHK", "FSWZADD",
    ),
    InstructionKind.FP16: ("HADD2", "HFMA2", "HMUL2", "HSET2", "HSETP2", "HMNMX2"),
    InstructionKind.CONVERSION: (
        "F2F", "F2FP", "F2I", "F2IP", "I2F", "I2FP", "I2I", "I2IP", "FRND",
    ),
    InstructionKind.GLOBAL_LOAD: ("LDG", "LD", "LDGMC"),
    InstructionKind.GLOBAL_STORE: ("STG", "ST"),
    InstructionKind.ASYNC_COPY: ("LDGSTS",),
    InstructionKind.TMA: ("UTMALDG", "UTMASTG", "UTMAREDG", "UBLKCP", "UBLKRED", "UTMAPF"),
    InstructionKind.SHARED: (
        "LDS", "STS", "LDSM", "STSM", "ATOMS", "ATOMS_CAST", "LDTM", "STTM", "LDT", "LDTRAM",
    ),
    InstructionKind.LOCAL: ("LDL", "STL"),
    InstructionKind.CONSTANT: ("LDC", "LDCU", "ULDC"),
    InstructionKind.ATOMIC: ("ATOM", "ATOMG", "RED", "REDG", "REDAS"),
    InstructionKind.BARRIER: ("BAR", "UCGABAR_ARV", "UCGABAR_WAIT", "SYNCS", "BARRIER"),
    InstructionKind.WAIT: (
        "LDGDEPBAR", "DEPBAR", "MEMBAR", "FENCE", "CCTL", "ERRBAR", "WARPGROUP", "WARPSYNC",
        "NANOSLEEP", "UTMACMDFLUSH", "ARRIVES", "ACQBULK", "ACQSHMINIT", "UTCBAR",
    ),
    InstructionKind.SHUFFLE: ("SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX"),
    InstructionKind.BRANCH: (
        "BRA", "BRX", "JMP", "CALL", "RET", "EXIT", "BSSY", "BSYNC", "BREAK", "BMOV", "KILL",
        "BRXU", "JMX", "YIELD", "BPT", "RTT", "LEPC",
    ),
    InstructionKind.NOTHING: ("NOP",),
}  # fmt: skip
_KIND_BY_OPCODE = {opcode: kind for kind, opcodes in _KINDS.items() for opcode in opcodes}

# Without a width an access is of 32 bits (CUDA Binary Utilities).
_BITS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128, "ENL2": 256}
_DTYPES = {
    "F16": "fp16", "BF16": "bf16", "BF16_V2": "bf16", "TF32": "tf32", "F64": "fp64", "S8": "int8",
    "U8": "int8", "S4": "int4", "U4": "int4", "E4M3": "fp8", "E5M2": "fp8", "E2M1": "fp4",
    "E3M2": "fp6", "E2M3": "fp6", "B1": "b1",
}  # fmt: skip
_BY_OPCODE = {
    "DMMA": "fp64", "IMMA": "int8", "IGMMA": "int8", "UTCIMMA": "int8", "QGMMA": "fp8",
    "QMMA": "fp8", "UTCQMMA": "fp8", "UTCOMMA": "fp4", "OMMA": "fp4", "BMMA": "b1", "BGMMA": "b1",
}  # fmt: skip


def kind_of(instruction: Instruction) -> InstructionKind:
    """What an instruction does; what is not known to be anything else is an integer operation.

    ``HFMA2.MMA`` is a packed multiply-add on the tensor core's path, which compilers also use to
    load constants: no matrix product.
    """
    return _KIND_BY_OPCODE.get(instruction.opcode, InstructionKind.INTEGER)


def access_bits(instruction: Instruction) -> int:
    """The width of a load or a store, in bits of one thread."""
    if instruction.opcode == "LDGSTS":
        sizes = [int(part) for part in instruction.modifiers if part.isdigit()]
        return max(sizes, default=32)
    return next((_BITS[part] for part in instruction.modifiers if part in _BITS), 32)


def tensor_core_dtype(instruction: Instruction) -> str:
    """The dtype that a matrix instruction multiplies.

    ``HMMA.16816.F32`` accumulates in fp32 and multiplies fp16 unless it says ``BF16`` or ``TF32``.
    """
    fixed = _BY_OPCODE.get(instruction.opcode)
    named = [_DTYPES[part] for part in instruction.modifiers if part in _DTYPES]
    named = [dtype for dtype in named if dtype != "fp16"] or named
    if fixed == "int8" and "int4" in named:
        return "int4"
    if fixed:
        return fixed
    return named[0] if named else "fp16"


# What a multiprocessor does in a clock cycle, from NVIDIA's CUDA C++ programming guide, "Arithmetic
# instructions: throughput of native arithmetic instructions". Which pipe an instruction uses is
# from the Nsight Compute documentation, "Pipelines": ALU (logic, comparisons, integer additions),
# FMA (multiplications, those of integers in its heavy half), XU (special functions and
# conversions), FP64, LSU (memory, shuffles) and the uniform datapath, one result for a warp.
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
