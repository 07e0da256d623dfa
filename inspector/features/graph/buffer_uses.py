"""Why two kernels that use one tensor do not share their reads of it, in a sentence."""

import math
import re
from collections.abc import Sequence

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.graph.reasons import Reason
from inspector.records.fusion import Buffer, Uses
from inspector.run.graph import aten_name

# The kinds that say most stand first; what both use in the same way is no reason.
_SENTENCES = {
    "order": "{first} and {second} iterate over {tensor} in different orders: {left}; {right}.",
    "loops": "{first} and {second} iterate over {tensor} in the same order, but split their loops "
    "at different points: {left}; {right}.",
    "offset": "{first} and {second} use different parts of {tensor}, starting at element {left} "
    "and at {right}.",
    "part": "The loops of {first} and {second} have different sizes: {left} and {right} elements "
    "of {tensor}.",
    "into": "{first} and {second} iterate over {left} and {right} elements, because one puts "
    "{tensor} into a larger tensor (a concatenation, a pad).",
    "larger": "The loops of {first} and {second} have different sizes ({left} and {right} "
    "elements), and one differs from the size of {tensor}.",
    "broadcast": "{first} or {second} uses each element of {tensor} several times: "
    "{left}; {right}.",
    "gather": "{first} or {second} gathers elements of {tensor} by an index known only at run "
    "time.",
    "index": "{first} and {second} index {tensor} differently: {left}; {right}.",
    "whole": "{first} or {second} needs all of {tensor} at once.",
}

_ORDER = "Move the transpose or .contiguous() before both or after both, not between them."
_SLICES = (
    "If you need most of the result, compute on the whole tensor first and slice the result. The "
    "unused "
    "part is then computed, too."
)
_DIGITS = 20
_TERM = re.compile(r"(?:(\d{1,19})\*)?([a-z]\d+)")
_LOOP = re.compile(r"([a-z]\d+) < (\d{1,19})\b")
# What takes elements by an index stays a kernel of its own wherever it stands.
_CHANGES = {"order": _ORDER, "offset": _SLICES, "part": _SLICES}
_TAKING = frozenset([
    "chunk", "narrow", "select", "slice", "split", "split_with_sizes", "unbind", "unsafe_chunk",
    "unsafe_split", "unsafe_split_with_sizes",
])  # fmt: skip
_LARGER = frozenset(["cat", "constant_pad_nd", "stack"])


def uses_reason(
    fusion: Fusion, uses: Sequence[Uses], steps: tuple[Step, Step], names: tuple[str, str]
) -> Reason | None:
    """The reason, or None where nothing tells the uses apart."""
    use = telling(uses)
    if use is None:
        return None
    buffer = fusion.buffers.get(use.buffer)
    kind = use.kind
    if kind == "order" and _is_flat(use.first) and _is_flat(use.second):
        kind = "loops"
    if kind == "part" and buffer is not None:
        texts = zip(steps, (use.first, use.second), strict=True)
        larger = [step for step, text in texts if _is_more(text, buffer)]
        is_into = any(is_put_into_larger(fusion, step, buffer) for step in larger)
        kind = "into" if is_into else "larger" if larger else kind
    sentence = _SENTENCES[kind].format(
        first=names[0],
        second=names[1],
        tensor=_tensor(buffer, use.buffer),
        left=use.first,
        right=use.second,
    )
    change = _CHANGES.get(kind, "")
    if change is _SLICES and not _is_part_of(fusion, use, steps):
        change = ""
    return Reason("layout", sentence, change)


def telling(uses: Sequence[Uses]) -> Uses | None:
    """The use that says most of why the two are apart, or None where nothing tells them apart."""
    known = [use for use in uses if use.kind in _SENTENCES]
    return min(known, key=lambda item: list(_SENTENCES).index(item.kind), default=None)


def matches_program(fusion: Fusion, use: Uses, steps: tuple[Step, Step]) -> bool:
    """Whether what the two use differs because the program takes a part, or makes it larger."""
    buffer = fusion.buffers.get(use.buffer)
    if buffer is None:
        return False
    return _is_part_of(fusion, use, steps) or any(
        is_put_into_larger(fusion, step, buffer) for step in steps
    )


def loops(text: str) -> list[tuple[int, int]] | None:
    """Stride and size of each loop of ``64*d0 + d1 for d0 < 8, d1 < 64``, the outermost first.

    None for an index that is no sum of loops' numbers times strides, or has sizes that change.
    """
    index, _, ranges = text.partition(" for ")
    sizes = dict(_LOOP.findall(ranges))
    terms = [_TERM.fullmatch(term) for term in index.split(" + ")]
    if not sizes or len(sizes) != ranges.count("<") or not all(terms):
        return None
    strides = {term[2]: int(term[1] or 1) for term in terms if term}
    return [(strides.get(name, 0), int(size)) for name, size in sizes.items()]


def _is_flat(text: str) -> bool:
    """Whether the loops go over the elements one after the other, as they are in memory."""
    expected = 1
    for stride, size in reversed(loops(text) or [(0, 0)]):
        if stride != expected:
            return False
        expected *= size
    return True


def _is_part_of(fusion: Fusion, use: Uses, steps: tuple[Step, Step]) -> bool:
    buffer = fusion.buffers.get(use.buffer)
    return buffer is not None and any(_is_done(fusion, step, buffer, _TAKING) for step in steps)


def _is_more(text: str, buffer: Buffer) -> bool:
    """Whether these are more elements than the tensor has."""
    sizes = [size for size in buffer.shape if isinstance(size, int)]
    # A damaged recording can have more digits than Python reads.
    is_number = text.isdecimal() and len(text) < _DIGITS and len(sizes) == len(buffer.shape)
    return is_number and int(text) > math.prod(sizes)


def _tensor(buffer: Buffer | None, name: str) -> str:
    """``the input of 512 by 1024``, ``the result of `relu` (8 by 64)``."""
    if buffer is None:
        return name
    sizes = " by ".join(map(str, buffer.shape)) or "one element"
    if buffer.kind in {"input", "constant"}:
        return f"the {buffer.kind} {name} ({sizes})"
    return f"`{buffer.origin}` ({sizes})" if buffer.origin else f"{name} ({sizes})"


def is_put_into_larger(fusion: Fusion, step: Step, buffer: Buffer) -> bool:
    """Whether a step concatenates or pads a tensor, or what it computes of it."""
    return _is_done(fusion, step, buffer, _LARGER)


def _is_done(fusion: Fusion, step: Step, buffer: Buffer, targets: frozenset[str]) -> bool:
    """Whether one of some operators lies between a tensor and what a step makes of it.

    Of a split Inductor names the part that is taken, and not always the operator.
    """
    for operation in fusion.operations_of(step):
        inner = set(operation.origins) if buffer.name in operation.reads else set()
        depend, done = {buffer.origin or buffer.name}, set[str]()
        for node in fusion.graph.nodes if inner else ():
            target = aten_name(node.target)
            if depend.isdisjoint(node.inputs) or not (node.name in inner or target in _TAKING):
                continue
            depend.add(node.name)
            if target in targets or not done.isdisjoint(node.inputs):
                done.add(node.name)
        if not done.isdisjoint(inner):
            return True
    return False
