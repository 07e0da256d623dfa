"""Everything that the texts of one compiled configuration say."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from inspector.features.kernels.binary.accesses import accesses_of, own_line, widths_of
from inspector.features.kernels.binary.index_values import Indices
from inspector.features.kernels.binary.opcodes import kind_of, tensor_core_dtype
from inspector.features.kernels.binary.sass import Instruction, parse_sass, read_ptx_lines
from inspector.features.kernels.binary.ttgir import Module, parse_ttgir
from inspector.run.kernel_analysis import (
    AccessKind,
    ConfigAnalysis,
    InstructionKind,
    Occupancy,
    OccupancyLimit,
)
from inspector.shared.gpus import Architecture, Gpu
from inspector.shared.kernel_build import ConfigBuild, Resources

_FLOAT64 = re.compile(r"(?:arith\.\w+f|math\.\w+|arith\.extf|tt\.dot)$")
_INTEGER = re.compile(r"arith\.(?:add|sub|mul|div|rem|shl|shr)\w*i?$")
_LOADS = (AccessKind.LOAD, AccessKind.ASYNC_COPY)
_WARP = 32
# cuda_occupancy.h: registers are given to warps, 256 at a time, by one of four sub-processors.
_REGISTER_UNIT = 256
_SUB_PROCESSORS = 4
# cuda_occupancy.h, cudaOccSMemAllocationGranularity: 256 bytes up to 7.x, 128 from 8.0 on; and what
# the system takes of every block, cudaDeviceProp.reservedSharedMemPerBlock: 1 KiB from 8.0 on.
_NEW_SHARED = (8, 0)
_SHARED_UNITS = (256, 128)
_RESERVED_BYTES = 1024


def analyse_texts(
    texts: Mapping[str, str],
    config: ConfigBuild,
    gpu: Gpu | None = None,
    known: Mapping[str, int] | None = None,
) -> ConfigAnalysis:
    """Analyses the texts ``ttgir``, ``ptx`` and ``sass`` of one configuration."""
    module = parse_ttgir(texts["ttgir"])
    listing = parse_sass(texts["sass"], read_ptx_lines(texts["ptx"]).callers)
    instructions = listing.instructions
    indices = Indices(module, known or {})
    accesses = accesses_of(module, indices, instructions)
    occupancy = None
    if gpu is not None and config.resources is not None:
        warps = config.launched_warps or config.num_warps
        occupancy = occupancy_of(config.resources, warps * config.num_ctas, gpu.architecture)
    kinds = [kind_of(item) for item in instructions]
    products = Counter(
        f"{item.opcode} {tensor_core_dtype(item)}"
        for item, kind in zip(instructions, kinds, strict=True)
        if kind is InstructionKind.TENSOR
    )
    return ConfigAnalysis(
        occupancy=occupancy,
        loads=widths_of(accesses, instructions, _LOADS),
        stores=widths_of(accesses, instructions, (AccessKind.STORE,)),
        accesses=accesses,
        instructions=dict(Counter(kinds).most_common()),
        tensor_cores=tuple(products.most_common()),
        fma_dots=_fma_dots(module),
        float64_lines=_float64_lines(module, instructions),
        int64_lines=_int64_lines(module),
    )


def _fma_dots(module: Module) -> tuple[tuple[int, str], ...]:
    """Matrix products whose result has no tensor-core layout."""
    found = set()
    for item in module.operations:
        if item.name == "tt.dot":
            factor, _, result = item.text.rpartition(" : ")[2].rpartition("->")
            alias = re.search(r"#\w+", result)
            layout = module.aliases.get(alias[0], "") if alias else ""
            dtype = re.search(r"tensor<(?:\d+x)+(\w+)", factor)
            if layout.startswith("#ttg.blocked"):
                found.add((item.line, dtype[1] if dtype else ""))
    return tuple(sorted(found))


def _float64_lines(module: Module, instructions: Sequence[Instruction]) -> tuple[int, ...]:
    """Lines whose operations are of fp64, where the machine code agrees."""
    machine = {own_line(item) for item in instructions if kind_of(item) is InstructionKind.FP64}
    if not machine:
        return ()
    written = {
        item.line
        for item in module.operations
        if _FLOAT64.match(item.name) and re.search(r"(?:\b|x)f64\b", item.text.rpartition(" : ")[2])
    }
    return tuple(sorted(written - {0}))


def _int64_lines(module: Module) -> tuple[int, ...]:
    """Lines with 64-bit integer arithmetic that addresses depend on."""
    open_names = [
        operand
        for item in module.operations
        if item.name == "tt.addptr"
        for operand in item.operands[1:]
    ]
    seen: set[str] = set()
    lines = set()
    while open_names:
        found = module.made_by.get(open_names.pop())
        if found is None or found.results[0] in seen or found.name in {"tt.load", "scf.for"}:
            continue
        seen.add(found.results[0])
        if _INTEGER.match(found.name) and "i64" in found.text.rpartition(" : ")[2]:
            lines.add(found.line)
        open_names += found.operands
    return tuple(sorted(lines - {0}))


def occupancy_of(resources: Resources, warps: int, of: Architecture) -> Occupancy:
    """How full a multiprocessor can be with blocks of one kernel."""
    most_warps = of.threads_per_multiprocessor // _WARP
    blocks_by = {
        OccupancyLimit.REGISTERS: _by_registers(resources.registers, warps, of),
        OccupancyLimit.SHARED_MEMORY: _by_shared_memory(resources, of),
        OccupancyLimit.WARPS: most_warps // warps if warps else 0,
        OccupancyLimit.BLOCKS: of.blocks_per_multiprocessor,
    }
    blocks = min(blocks_by.values())
    limited = tuple(limit for limit, most in blocks_by.items() if most == blocks)
    return Occupancy(blocks, blocks * warps, most_warps, limited)


def _by_registers(registers: int, warps: int, of: Architecture) -> int:
    if not registers or not warps:
        return of.blocks_per_multiprocessor
    of_warp = -(-registers * _WARP // _REGISTER_UNIT) * _REGISTER_UNIT
    held = of.registers_per_multiprocessor // _SUB_PROCESSORS // of_warp * _SUB_PROCESSORS
    rounded = -(-warps // _SUB_PROCESSORS) * _SUB_PROCESSORS
    return held // rounded if warps >= _SUB_PROCESSORS else held // warps


def _by_shared_memory(resources: Resources, of: Architecture) -> int:
    asked = resources.shared_bytes + resources.static_shared_bytes
    if asked > of.shared_bytes_per_block:
        return 0
    is_new = of.capability >= _NEW_SHARED
    unit = _SHARED_UNITS[is_new]
    taken = -(-(asked + _RESERVED_BYTES * is_new) // unit) * unit
    return of.shared_bytes_per_multiprocessor // taken if taken else of.blocks_per_multiprocessor
