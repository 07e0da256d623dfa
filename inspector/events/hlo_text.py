"""The text of HLO, as XLA prints its modules (``HloModule::ToString``, xla/hlo/ir/hlo_module.cc).

No package for Python reads it without XLA itself: torch_xla's has no reader, jaxlib's only gives
the text again. What is read is what stands on every line: names, shapes, opcodes, operands, called
computations and metadata.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

NODE_FILE = "fx:"
"""The recorder makes it the source file of an instruction, with the name of FX's node behind it."""

# `ENTRY %main.5 (p0.1: f32[4]) -> f32[4] {`, `%region_0.3 (x: f32[]) -> f32[] {`
_COMPUTATION = re.compile(r"(?P<entry>ENTRY )?%?(?P<name>[\w.\-]+) \(.*\{\s*$")
# `  ROOT %add.3 = f32[4]{0} add(f32[4]{0} %p0.1, f32[] %c.2), metadata={…}`
_INSTRUCTION = re.compile(r"\s+(?P<root>ROOT )?%?(?P<name>[\w.\-]+) = (?P<rest>.*)")
_OPCODE = re.compile(r"\s*(?P<opcode>[\w\-]+)\(")
_ARRAY = re.compile(r"(?P<dtype>[a-z]\w*)\[(?P<sizes>[^\]]*)\](?:\{(?P<layout>[\d,]*)[^}]*\})?")
_NAME = re.compile(r"%([\w.\-]+)")
_CALLED = re.compile(
    r"\b(?:to_apply|calls|body|condition|branch_computations|called_computations"
    r"|true_computation|false_computation)=(\{[^}]*\}|%?[\w.\-]+)"
)
_FIELD = re.compile(r'\b(op_type|op_name|source_file)="((?:[^"\\]|\\.)*)"')
_TARGET = re.compile(r'\bcustom_call_target="((?:[^"\\]|\\.)*)"')
_KIND = re.compile(r"\bkind=k(\w+)")
_COMMENT = re.compile(r"/\*.*?\*/")
_OPENING, _CLOSING = "([{", ")]}"


@dataclasses.dataclass(frozen=True, slots=True)
class HloShape:
    """An array.

    Attributes:
        dtype: XLA's name: ``f32``, ``s64``, ``pred``.
        sizes: Its sizes.
        minor_to_major: Its dimensions in the order of memory, the one that lies together first.
    """

    dtype: str
    sizes: tuple[int, ...]
    minor_to_major: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class HloInstruction:
    """One instruction.

    Attributes:
        name: Its name, which no other of the module has.
        opcode: What it does: ``dot``, ``fusion``, ``parameter``.
        shapes: What it gives; several are a tuple.
        operands: Names of the instructions that it takes.
        text: What stands between its parentheses: a constant's value, a parameter's number.
        called: Names of the computations that it calls.
        kind: Of a fusion ``Loop``, ``Input``, ``Output``; of a custom call its target; else empty.
        op_type: The operator of torch in torch_xla's spelling, or an empty string.
        op_name: Its name as torch_xla made it, or an empty string.
        file: The file that it comes from, or an empty string.
        is_root: Whether it is what its computation returns.
    """

    name: str
    opcode: str
    shapes: tuple[HloShape, ...]
    operands: tuple[str, ...]
    text: str = ""
    called: tuple[str, ...] = ()
    kind: str = ""
    op_type: str = ""
    op_name: str = ""
    file: str = ""
    is_root: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class HloComputation:
    """A function of a module.

    Attributes:
        name: Its name.
        instructions: In order; each stands behind its operands.
        is_entry: Whether the module begins with it.
    """

    name: str
    instructions: tuple[HloInstruction, ...]
    is_entry: bool


def parse_hlo(text: str) -> tuple[HloComputation, ...]:
    """The computations of a module.

    Raises:
        ValueError: It is no HLO, or cut off.
    """
    found: list[HloComputation] = []
    head: re.Match[str] | None = None
    instructions: list[HloInstruction] = []
    for line in _COMMENT.sub("", text).splitlines():
        if head is None:
            head = _COMPUTATION.match(line)
            instructions = []
        elif line.startswith("}"):
            is_entry = head["entry"] is not None
            found.append(HloComputation(head["name"], tuple(instructions), is_entry))
            head = None
        elif match := _INSTRUCTION.match(line):
            instructions.append(_instruction(match["name"], match["rest"], match["root"]))
    if head is not None or not any(item.is_entry for item in found):
        message = "it is no HLO, or not all of it"
        raise ValueError(message)
    return tuple(found)


def _instruction(name: str, rest: str, root: str | None) -> HloInstruction:
    end = _end_of_shape(rest)
    opcode = _OPCODE.match(rest, end)
    if opcode is None:
        message = f"the instruction {name} has no opcode"
        raise ValueError(message)
    closing = _closing(rest, opcode.end() - 1)
    inner, behind = rest[opcode.end() : closing], rest[closing + 1 :]
    fields = dict(_FIELD.findall(behind))
    target = _TARGET.search(behind) or _KIND.search(behind)
    return HloInstruction(
        name=name,
        opcode=opcode["opcode"],
        shapes=tuple(_shapes(rest[:end])),
        # A constant's value can be anything.
        operands=() if opcode["opcode"] == "constant" else tuple(_NAME.findall(inner)),
        text=inner,
        called=tuple(_called(behind)),
        kind=target[1] if target is not None else "",
        op_type=fields.get("op_type", ""),
        op_name=fields.get("op_name", ""),
        file=fields.get("source_file", ""),
        is_root=root is not None,
    )


def _end_of_shape(text: str) -> int:
    """Where the shape ends: behind its parentheses, or at the first space."""
    if text.startswith("("):
        return _closing(text, 0) + 1
    end = text.find(" ")
    return end if end >= 0 else len(text)


def _closing(text: str, begin: int) -> int:
    """Where what opens at a place is closed; strings may have anything in them."""
    depth, is_quoted = 0, False
    for place in range(begin, len(text)):
        letter = text[place]
        if letter == '"' and text[place - 1] != "\\":
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth -= 1
            if not depth:
                return place
    message = "a line is cut off"
    raise ValueError(message)


def _shapes(text: str) -> Iterator[HloShape]:
    for match in _ARRAY.finditer(text):
        # A size that is bounded and not known is `<=8`.
        sizes = (size.strip().removeprefix("<=") for size in match["sizes"].split(","))
        layout = filter(None, (match["layout"] or "").split(","))
        yield HloShape(
            match["dtype"], tuple(map(int, filter(None, sizes))), tuple(map(int, layout))
        )


def _called(text: str) -> Iterator[str]:
    for match in _CALLED.finditer(text):
        yield from re.findall(r"[\w.\-]+", match[1])
