"""Source lines in PTX: which line of the kernel's own source each instruction belongs to.

LLVM writes the whole chain of inlined calls behind each ``.loc``; the directive itself has it only
with newer versions of Triton (3.9 does, 3.6 does not), and then ptxas hands it on.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Sequence

from inspector.features.kernels.binary.sass import SOURCE

# PTX ISA, debugging directives .file and .loc.
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_PLACE = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+([^/]*)(?://(.*))?$")
_INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)")
_WRITTEN = re.compile(rf"(?:^|[\s\[/]){re.escape(SOURCE)}:(\d+):")


@dataclasses.dataclass(frozen=True, slots=True)
class PtxLines:
    """Where PTX comes from.

    Attributes:
        instructions: Line of the PTX, and line of the kernel's source.
        callers: Lines of the kernel's source that a line of another file is inlined in.
    """

    instructions: tuple[tuple[int, int], ...]
    callers: dict[tuple[str, int], tuple[int, ...]]


def read_ptx_lines(ptx: str) -> PtxLines:
    """Reads the directives of a PTX text."""
    lines = ptx.splitlines()
    files = {found[1]: found[2] for found in map(_FILE.match, lines) if found}
    callers: dict[tuple[str, int], list[int]] = defaultdict(list)
    instructions = []
    at = 0
    in_assembly = places_in_assembly = 0
    for number, line in enumerate(lines, 1):
        if "// begin inline asm" in line or "// end inline asm" in line:
            in_assembly, places_in_assembly = "begin" in line, 0
        place = _PLACE.match(line)
        if place:
            places_in_assembly += in_assembly
            if places_in_assembly > 1:
                continue  # Triton 3.9 counts its lines; it belongs to the line that it begins in
            key = (files.get(place[1], ""), int(place[2]))
            at = _own_line(place, files, callers)
            if at and at not in callers[key]:
                callers[key].append(at)
        elif at and line.rstrip().endswith(";") and not line.lstrip().startswith((".", "//")):
            instructions.append((number, at))
    return PtxLines(tuple(instructions), {key: tuple(own) for key, own in callers.items()})


def _own_line(
    place: re.Match[str], files: dict[str, str], callers: dict[tuple[str, int], list[int]]
) -> int:
    """The line of the kernel's source that a place is in, or 0."""
    written = _WRITTEN.findall(place[4] or "")
    if written:
        return int(written[-1])
    if files.get(place[1], "").rpartition("/")[2] == SOURCE:
        return int(place[2])
    inlined = _INLINED.search(place[3])
    if not inlined:
        return 0
    if files.get(inlined[1], "").rpartition("/")[2] == SOURCE:
        return int(inlined[2])
    known: Sequence[int] = callers.get((files.get(inlined[1], ""), int(inlined[2])), ())
    return known[-1] if known else 0
