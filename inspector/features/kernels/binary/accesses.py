"""Uses of global memory: how wide, how contiguous, how often."""

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from inspector.features.kernels.binary.index_values import Indices
from inspector.features.kernels.binary.opcodes import access_bits, kind_of
from inspector.features.kernels.binary.sass import SOURCE, Instruction
from inspector.features.kernels.binary.ttgir import (
    Module,
    Operation,
    TensorType,
    element_bytes,
    mask_of,
)
from inspector.run.kernel_analysis import Access, AccessKind, InstructionKind, Width

_NAMES = {
    "tt.load": AccessKind.LOAD,
    "tt.store": AccessKind.STORE,
    "tt.atomic_rmw": AccessKind.ATOMIC,
    "tt.atomic_cas": AccessKind.ATOMIC,
    "ttg.async_copy_global_to_local": AccessKind.ASYNC_COPY,
}
_SECTOR_BYTES = 32
_WARP = 32
_WIDEST_BYTES = 16
_MACHINE = {
    AccessKind.LOAD: InstructionKind.GLOBAL_LOAD,
    AccessKind.STORE: InstructionKind.GLOBAL_STORE,
    AccessKind.ASYNC_COPY: InstructionKind.ASYNC_COPY,
    AccessKind.ATOMIC: InstructionKind.ATOMIC,
}


def accesses_of(
    module: Module, indices: Indices, instructions: Sequence[Instruction]
) -> tuple[Access, ...]:
    """All uses of global memory, in order."""
    trips = [indices.trips(loop) for loop in module.loops]
    found = []
    for operation in module.operations:
        if operation.name in _NAMES:
            access = _access(operation, module, indices, trips)
            bits = Counter(
                access_bits(item)
                for item in instructions
                if access.line
                and own_line(item) == access.line
                and kind_of(item) is _MACHINE[access.kind]
            )
            widths = tuple(width for width, _ in bits.most_common())
            found.append(dataclasses.replace(access, bits=widths))
    return tuple(found)


def own_line(instruction: Instruction) -> int:
    """The line of the kernel's own source that an instruction comes from, or 0."""
    own = [place.line for place in instruction.places if place.file == SOURCE]
    return own[-1] if own else 0


def widths_of(
    accesses: Iterable[Access], instructions: Sequence[Instruction], kinds: Sequence[AccessKind]
) -> tuple[Width, ...]:
    """Widths of accesses, weighted by what a program moves with them.

    Bytes of a source line are shared out among the line's instructions by their widths.
    Instructions of other lines are not counted: a sine's slow path loads a table.
    """
    machine = {_MACHINE[kind] for kind in kinds}
    moved = Counter[int]()
    for access in accesses:
        if access.kind in kinds:
            moved[access.line] += access.bytes
    chosen = [item for item in instructions if kind_of(item) in machine and own_line(item) in moved]
    of_line = Counter[int]()
    for item in chosen:
        of_line[own_line(item)] += access_bits(item)
    counts, amounts = Counter[int](), Counter[int]()
    for item in chosen:
        bits, line = access_bits(item), own_line(item)
        counts[bits] += 1
        amounts[bits] += round(moved[line] * bits / of_line[line])
    return tuple(Width(bits, counts[bits], amounts[bits]) for bits in sorted(counts, reverse=True))


def _access(
    operation: Operation, module: Module, indices: Indices, trips: Sequence[int | None]
) -> Access:
    kind = _NAMES[operation.name]
    pointer = operation.operands[0] if operation.operands else ""
    shaped = indices.type_of(pointer)
    element = "" if shaped is None else (shaped.pointee or shaped.element)
    size = element_bytes(element)
    elements = math.prod(shaped.shape) if shaped is not None else 0
    counts = [trips[loop - 1] for loop in operation.loops]
    known = [count for count in counts if count is not None]
    times = math.prod(known) if len(known) == len(counts) else None
    # The argument that a pointer comes from, also where its offset is not known.
    source = pointer
    for made in _made_from(pointer, module):
        source = made.operands[0]
    access = Access(
        kind=kind,
        line=operation.line,
        argument="" if source not in module.arguments else source[1:],
        dtype=element,
        elements=elements,
        trips=times,
        bytes=elements * size * (1 if times is None else times),
        is_indirect=indices.is_indirect(pointer),
        is_masked=mask_of(operation) is not None,
        index_bits=_index_bits(pointer, module, indices),
    )
    return _placed(access, pointer, shaped, module, indices)


def _made_from(pointer: str, module: Module) -> Iterator[Operation]:
    """What a pointer is made by, then what that operation's first operand is made by, and so on."""
    for _ in range(len(module.operations)):
        operation = module.made_by.get(pointer)
        if operation is None or not operation.operands:
            return
        yield operation
        pointer = operation.operands[0]


def _placed(
    access: Access, pointer: str, shaped: TensorType | None, module: Module, indices: Indices
) -> Access:
    """Adds what follows from the addresses in one program."""
    value = indices.value(pointer)
    if value is None or shaped is None:
        return access
    lanes = _lanes(shaped.layout, shaped.shape) if shaped.shape else None
    if lanes is None:
        return access
    size = element_bytes(access.dtype)
    base = module.divisible.get(f"%{value.base}", size)
    used = {int(number) for number in value.numbers}
    touched_bytes = len({number * size // _SECTOR_BYTES for number in used}) * _SECTOR_BYTES
    times = 1 if access.trips is None else access.trips
    held = [[int(value.numbers[element]) for element in own] for own in lanes]
    # From one element to the next: of a thread, or of the next one where each has one.
    pair = held[0][:2] if len(held[0]) > 1 else [numbers[0] for numbers in held[:2]]
    return dataclasses.replace(
        access,
        bytes=len(used) * size * times,
        touched_bytes=touched_bytes * times,
        argument=value.base or access.argument,
        contiguous=min(map(_contiguous, held)),
        stride=pair[1] - pair[0] if len(pair) > 1 else None,
        # What every thread's first address is a multiple of.
        alignment_bytes=math.gcd(base, _WIDEST_BYTES, *(numbers[0] * size for numbers in held)),
    )


def _lanes(layout: str, shape: Sequence[int]) -> list[list[int]] | None:
    """By thread of the first warp the flat indices that it holds, in order, of the first tile.

    Formulas from Triton's ``TritonGPUAttrDefs.td`` (BlockedEncodingAttr, SliceEncodingAttr); None
    for other layouts.
    """
    # The parent's layout without one dimension.
    inner = re.match(r"#ttg\.slice<\{dim = (\d+), parent = (.*)\}>$", layout)
    if inner is not None:
        axis = int(inner[1])
        return _lanes(inner[2], [*shape[:axis], 1, *shape[axis:]])
    found = dict(re.findall(r"(\w+) = \[([\d, ]+)\]", layout))
    per_thread, threads, order = each = [
        [int(number) for number in found.get(name, "").split(",") if number]
        for name in ("sizePerThread", "threadsPerWarp", "order")
    ]
    if not layout.startswith("#ttg.blocked") or any(len(part) != len(shape) for part in each):
        return None

    def flat(thread: Sequence[int], register: Sequence[int]) -> int:
        index = 0
        for place, step, at, size in zip(thread, per_thread, register, shape, strict=True):
            index = index * size + (place * step + at) % size
        return index

    held = [_split(number, per_thread, order) for number in range(math.prod(per_thread))]
    lanes = [_split(number, threads, order) for number in range(min(_WARP, math.prod(threads)))]
    return [[flat(thread, register) for register in held] for thread in lanes]


def _split(number: int, sizes: Sequence[int], order: Sequence[int]) -> list[int]:
    at = [0] * len(sizes)
    for axis in order:
        at[axis] = number % sizes[axis]
        number //= sizes[axis]
    return at


def _contiguous(numbers: Sequence[int]) -> int:
    """How many elements a thread holds side by side, from its first one on."""
    length = 1
    while length < len(numbers) and numbers[length] == numbers[0] + length:
        length += 1
    return length


def _index_bits(pointer: str, module: Module, indices: Indices) -> int:
    """Width of the widest offset that is added to the pointer."""
    widest = 32
    for operation in _made_from(pointer, module):
        if operation.name == "tt.addptr":
            offset = indices.type_of(operation.operands[1])
            widest = max(widest, 64 if offset is not None and offset.element == "i64" else 32)
        elif operation.name not in {"tt.splat", "tt.broadcast", "ttg.convert_layout"}:
            break
    return widest
