"""Which lines of each text belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from inspector.builds.accesses import own_line
from inspector.builds.ptx_lines import PtxLines
from inspector.builds.sass import Instruction
from inspector.builds.ttgir import Module
from inspector.model.kernel_analysis import LineInstructions


def map_lines(
    module: Module, ptx: PtxLines, instructions: Sequence[Instruction]
) -> tuple[LineInstructions, ...]:
    """Lines of the kernel's own source that became code, by number.

    What was inlined belongs to the line that calls it.
    """
    ttgir: dict[int, list[int]] = defaultdict(list)
    for operation in module.operations:
        ttgir[operation.line].append(operation.number)
    of_ptx: dict[int, list[int]] = defaultdict(list)
    for number, line in ptx.instructions:
        of_ptx[line].append(number)
    sass: dict[int, list[int]] = defaultdict(list)
    for instruction in instructions:
        sass[own_line(instruction)].append(instruction.offset)
    lines = sorted({*ttgir, *of_ptx, *sass} - {0})
    return tuple(
        LineInstructions(line, tuple(ttgir[line]), tuple(of_ptx[line]), tuple(sass[line]))
        for line in lines
    )
