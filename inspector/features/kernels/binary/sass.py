"""Reads nvdisasm's listing: instructions, and the source lines that they come from."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

SOURCE = "kernel.py"
"""What the kernel's own source is called in every text."""


# Formats of nvdisasm 12.8 and 12.9 with -c -gi (CUDA Binary Utilities).
_INSTRUCTION = re.compile(
    r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:(@!?U?P\w+)\s+)?([A-Z][A-Z0-9_]*)((?:\.\w+)*)\s*(.*?)\s*;"
)
_LINE = re.compile(r'^\s*//## File "([^"]*)", line (\d+)')
_LABEL = re.compile(r"^\s*(\.L_x_\d+|\$\S+):")


@dataclasses.dataclass(frozen=True, slots=True)
class SourcePlace:
    """A line of a source file.

    Attributes:
        file: File name; the kernel's own source is `kernel.py`.
    """

    file: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction.

    Attributes:
        predicate: What it depends on (``@!P0``), or an empty string.
        opcode: Its name (``LDG``).
        modifiers: What follows it (``E``, ``128``).
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
    """A kernel's instructions.

    Attributes:
        labels: Index of the instruction behind a label.
    """

    instructions: tuple[Instruction, ...]
    labels: dict[str, int]


def parse_sass(
    text: str, callers: Mapping[tuple[str, int], Sequence[int]] | None = None
) -> Listing:
    """Reads a listing; of several functions the instructions follow each other.

    Args:
        callers: Lines of the kernel that lines of other files are inlined in.
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
    """Lines of a listing with the line of the kernel's source that each comes from.

    Args:
        callers: As in `parse_sass`.
    """
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
