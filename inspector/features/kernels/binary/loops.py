"""Loops in machine code (a branch back makes one), and how often instructions are executed."""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from inspector.features.kernels.binary.accesses import own_line
from inspector.features.kernels.binary.index_values import Indices
from inspector.features.kernels.binary.opcodes import access_bits, kind_of
from inspector.features.kernels.binary.sass import Instruction, Listing
from inspector.features.kernels.binary.ttgir import Module, element_bytes
from inspector.run.kernel_analysis import InstructionKind, Loop

_TARGET = re.compile(r"\(?(\.L_x_\d+)\)?")
_GLOBAL = (InstructionKind.GLOBAL_LOAD, InstructionKind.GLOBAL_STORE, InstructionKind.ASYNC_COPY)
_WARP = 32
_LOADS = ("tt.load", "tt.store", "ttg.async_copy_global_to_local")
_SIZES = re.compile(r"(?:tensor|memdesc)<((?:\d+x)+)")
_DOTS = ("tt.dot", "ttng.warp_group_dot", "ttng.tc_gen5_mma", "tt.dot_scaled")


def loops_of(listing: Listing, module: Module) -> tuple[Loop, ...]:
    """All loops by their beginning."""
    spans: dict[int, int] = {}
    for instruction in listing.instructions:
        target = _TARGET.search(instruction.operands) if instruction.opcode == "BRA" else None
        start = listing.labels.get(target[1]) if target else None
        # The branch to itself behind every kernel's end is no loop.
        if start is not None and start < instruction.index:
            spans[start] = max(spans.get(start, 0), instruction.index)
    loops = []
    for first, last in sorted(spans.items()):
        inside = listing.instructions[first : last + 1]
        moved = sum(access_bits(item) // 8 for item in inside if kind_of(item) in _GLOBAL)
        loops.append(Loop(first, last, moved, _source_loop(inside, module)))
    return tuple(loops)


def _source_loop(instructions: Sequence[Instruction], module: Module) -> int | None:
    """Number of the Triton loop that most of a stretch of instructions belongs to."""
    lines = [own_line(item) for item in instructions]
    of_loop: dict[int, set[int]] = defaultdict(set)
    for item in module.operations:
        for number in item.loops:
            of_loop[number].add(item.line)
    shares = {number: sum(line in own for line in lines) for number, own in of_loop.items()}
    best = max(shares, key=lambda number: (shares[number], number), default=None)
    return best if best is not None and shares[best] * 2 > len(lines) else None


def executions_of(
    listing: Listing, loops: Sequence[Loop], module: Module, indices: Indices, warps: int
) -> tuple[float, ...]:
    """Executions of each instruction by a warp of a program.

    Slow paths that need local memory or a call are taken to be never run: the compiler moves there
    what large arguments of a sine, or denormal divisors, need.
    """
    weights = [1.0] * len(listing.instructions)
    lines = {item.line for item in module.operations if item.name in _LOADS}
    for index in _cold(listing, lines):
        weights[index] = 0.0
    for loop, trips in _trips(loops, module, indices, warps).items():
        for index in range(loop.first, loop.last + 1):
            weights[index] *= trips
    return tuple(weights)


def products_of(module: Module, indices: Indices) -> int | None:
    """Floating-point operations of a program's matrix products, or None where it is unknown."""
    total = 0
    for item in module.operations:
        if item.name not in _DOTS:
            continue
        shapes = [
            [int(size) for size in found.split("x") if size] for found in _SIZES.findall(item.text)
        ]
        trips = [indices.trips(module.loops[number - 1]) for number in item.loops]
        known = [count for count in trips if count is not None]
        if len(shapes) < 3 or len(known) < len(trips):  # noqa: PLR2004 - two factors and a result
            return None
        total += 2 * math.prod(shapes[-1]) * shapes[0][-1] * math.prod(known)
    return total


def _cold(listing: Listing, lines: AbstractSet[int]) -> set[int]:
    """Instructions behind the end of the kernel, and those of slow paths."""
    instructions = listing.instructions
    ends = [item.index for item in instructions if item.opcode == "EXIT" and not item.predicate]
    cold = set(range(ends[0] + 1, len(instructions))) if ends else set()
    for item in instructions:
        target = _TARGET.search(item.operands) if item.opcode == "BRA" and item.predicate else None
        stop = listing.labels.get(target[1]) if target else None
        if stop is None or stop <= item.index:
            continue
        inside = instructions[item.index + 1 : stop]
        is_slow = any(part.opcode in _SLOW for part in inside)
        works = any(kind_of(part) in _WORK and own_line(part) in lines for part in inside)
        if is_slow and not works and not any(part.opcode == "BAR" for part in inside):
            cold.update(part.index for part in inside)
    return cold


_SLOW = {"LDL", "STL", "CALL"}
_WORK = {InstructionKind.GLOBAL_LOAD, InstructionKind.GLOBAL_STORE}


def _trips(
    loops: Sequence[Loop], module: Module, indices: Indices, warps: int
) -> dict[Loop, float]:
    """Trips of the machine's loops: those of Triton's, less where the compiler has unrolled.

    Of several loops that come from the same one, all but the first are remainders.
    """
    by_source: dict[int, list[Loop]] = defaultdict(list)
    for loop in loops:
        if loop.source is not None:
            by_source[loop.source].append(loop)
    # Bytes of global memory that a program accesses in one trip of each innermost loop.
    moved: dict[int, int] = defaultdict(int)
    for item in module.operations:
        if item.name in _LOADS and item.loops:
            shaped = indices.type_of(item.operands[0])
            if shaped is not None:
                moved[item.loops[-1]] += math.prod(shaped.shape) * element_bytes(shaped.pointee)
    trips = {}
    for number, made in by_source.items():
        count = indices.trips(module.loops[number - 1])
        largest = max(made, key=lambda loop: loop.instructions)
        if count is not None:
            asked = moved.get(number, 0)
            unrolled = largest.bytes_moved * _WARP * warps / asked if asked else 1.0
            trips[largest] = count / max(1.0, round(unrolled))
    return trips
