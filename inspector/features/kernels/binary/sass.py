"""Reads nvdisasm's listing and PTX: instructions, and the source lines that they come from.

LLVM writes the whole chain of inlined calls behind each ``.loc`` of PTX; the directive itself has
it only with newer versions of Triton (3.9 does, 3.6 does not), and then ptxas hands it on.
"""

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

SOURCE = "kernel.py"
"""What the kernel's own source is called in every text."""


# Formats of nvdisasm 12.8 and 12.9 with -c -gi (CUDA Binary Utilities).
_INSTRUCTION = re.compile(
    r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:(@!?U?P\w+)\s+)?([A-Z][A-Z0-9_]*)((?:\.\w+)*)\s*(.*?)\s*;"
)
_LINE = re.compile(r'^\s*//## File "([^"]*)", line (\d+)')
_LABEL = re.compile(r"^\s*(\.L_x_\d+|\$\S+):")
# PTX ISA, debugging directives .file and .loc.
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_PLACE = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+([^/]*)(?://(.*))?$")
_INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)")
_WRITTEN = re.compile(rf"(?:^|[\s\[/]){re.escape(SOURCE)}:(\d+):")


@dataclasses.dataclass(frozen=True, slots=True)
class SourcePlace:
    """A line of a source file; the kernel's own source is `kernel.py`."""

    file: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction: ``@!P0 LDG.E.128 …``.

    Attributes:
        places: Where it comes from: the innermost call first.
    """

    predicate: str
    opcode: str
    modifiers: tuple[str, ...]
    operands: str
    places: tuple[SourcePlace, ...]
    index: int


@dataclasses.dataclass(frozen=True, slots=True)
class Listing:
    """A kernel's instructions, and by label the index of the one behind it."""

    instructions: tuple[Instruction, ...]
    labels: dict[str, int]


def parse_sass(
    text: str, callers: Mapping[tuple[str, int], Sequence[int]] | None = None
) -> Listing:
    """Reads a listing; of several functions the instructions follow each other.

    `callers` are lines of the kernel that lines of other files are inlined in.
    """
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    places: tuple[SourcePlace, ...] = ()
    is_new = True
    for line in text.splitlines():
        if "//##" in line:
            found = _LINE.match(line)
            more = (SourcePlace(found[1], int(found[2])),) if found else ()
            places = more if is_new else (*places, *more)
            is_new = False
            continue
        label = _LABEL.match(line)
        if label:
            labels[label[1]] = len(instructions)
            continue
        match = _INSTRUCTION.match(line)
        if match:
            predicate, opcode, modifiers, operands = match.groups()
            parts = tuple(modifiers.split(".")[1:])
            index = len(instructions)
            made = Instruction(predicate or "", opcode, parts, operands, places, index)
            instructions.append(made)
            is_new = True
    return Listing(tuple(_located(instructions, callers or {})), labels)


def sass_lines(
    text: str, callers: Mapping[tuple[str, int], Sequence[int]] | None = None
) -> tuple[tuple[int, int], ...]:
    """Lines of a listing with the line of the kernel's source that each comes from."""
    numbers = (at for at, line in enumerate(text.splitlines(), 1) if _INSTRUCTION.match(line))
    found = []
    for number, item in zip(numbers, parse_sass(text, callers).instructions, strict=True):
        own = [place.line for place in item.places if place.file == SOURCE]
        found += [(number, own[-1])] if own else []
    return tuple(found)


def _located(
    instructions: Sequence[Instruction], callers: Mapping[tuple[str, int], Sequence[int]]
) -> Iterator[Instruction]:
    """Adds the calling line where it is missing: of several the one that was last met."""
    last = 0
    for instruction in instructions:
        own = [place.line for place in instruction.places if place.file == SOURCE]
        if own:
            last = own[-1]
            yield instruction
            continue
        places = instruction.places
        lines = callers.get((places[-1].file, places[-1].line), ()) if places else ()
        if lines:
            last = last if last in lines else lines[0]
            places = (*places, SourcePlace(SOURCE, last))
        yield dataclasses.replace(instruction, places=places)


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
