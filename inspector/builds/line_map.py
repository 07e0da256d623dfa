"""Which lines of each text belong together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from inspector.builds.accesses import own_line
from inspector.builds.sass import Instruction
from inspector.builds.ttgir import Module
from inspector.model.kernel_analysis import LineInstructions

__all__ = ["map_lines"]

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_PLACE = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+")
_INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)")


def map_lines(
    module: Module, ptx: str, instructions: Sequence[Instruction], source: str = "kernel.py"
) -> tuple[LineInstructions, ...]:
    """Lines of the kernel's own source that became code, by number.

    What was inlined belongs to the line that calls it.
    """
    ttgir: dict[int, list[int]] = defaultdict(list)
    for operation in module.operations:
        ttgir[operation.line].append(operation.number)
    of_ptx: dict[int, list[int]] = defaultdict(list)
    for number, line in _ptx_lines(ptx, source):
        of_ptx[line].append(number)
    sass: dict[int, list[int]] = defaultdict(list)
    for instruction in instructions:
        sass[own_line(instruction)].append(instruction.offset)
    lines = sorted({*ttgir, *of_ptx, *sass} - {0})
    return tuple(
        LineInstructions(line, tuple(ttgir[line]), tuple(of_ptx[line]), tuple(sass[line]))
        for line in lines
    )


def _ptx_lines(ptx: str, source: str) -> Iterator[tuple[int, int]]:
    """Number of each instruction's line in the PTX, and its line in the source.

    PTX ISA, debugging directives ``.file`` and ``.loc``.
    """
    lines = ptx.splitlines()
    own = {
        found[1]
        for found in map(_FILE.match, lines)
        if found and found[2].rpartition("/")[2] == source
    }
    at = 0
    for number, line in enumerate(lines, 1):
        place = _PLACE.match(line)
        if place:
            inlined = _INLINED.search(line)
            file, where = (inlined or place).groups()
            at = int(where) if file in own else 0
        elif at and line.strip().endswith(";") and not line.lstrip().startswith((".", "//")):
            yield number, at
