"""Loops in machine code: a branch back makes one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from inspector.features.kernels.binary.accesses import own_line
from inspector.features.kernels.binary.opcodes import access_bits, kind_of
from inspector.features.kernels.binary.sass import Instruction, Listing
from inspector.features.kernels.binary.ttgir import Module
from inspector.run.kernel_analysis import InstructionKind, Loop

_TARGET = re.compile(r"\(?(\.L_x_\d+)\)?")
_GLOBAL = (InstructionKind.GLOBAL_LOAD, InstructionKind.GLOBAL_STORE, InstructionKind.ASYNC_COPY)
_TENSOR_WEIGHT = 1000


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
        depth = sum(start <= first and last <= end for start, end in spans.items())
        inside = listing.instructions[first : last + 1]
        moved = sum(access_bits(item) // 8 for item in inside if kind_of(item) in _GLOBAL)
        loops.append(Loop(first, last, depth, moved, _source_loop(inside, module)))
    return tuple(loops)


def hot_loop(listing: Listing, module: Module) -> Loop | None:
    """The loop where most of the work is, or None.

    That is the innermost of Triton's loops with most of the matrix products, else with most of the
    bytes of global memory, else with most of the shared memory's accesses. Loops that a library
    brings, as the slow path of a sine does, are none.
    """
    weighed = [(_weight(loop, listing.instructions), loop) for loop in loops_of(listing, module)]
    heavy = [(weight, loop.depth, loop) for weight, loop in weighed if any(weight)]
    return max(heavy, key=lambda each: each[:2])[-1] if heavy else None


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


def _weight(loop: Loop, instructions: Sequence[Instruction]) -> tuple[int, int, int]:
    if loop.source is None:
        return 0, 0, 0
    kinds = [kind_of(item) for item in instructions[loop.first : loop.last + 1]]
    heavy = sum(kind is InstructionKind.TMA for kind in kinds)
    return (
        kinds.count(InstructionKind.TENSOR),
        loop.bytes_moved + heavy * _TENSOR_WEIGHT,
        kinds.count(InstructionKind.SHARED),
    )
