"""Arithmetic of Triton's integer and pointer operations, on whole tensors."""

import dataclasses
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from inspector.features.kernels.binary.ttgir import TensorType


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """What an operation yields.

    Attributes:
        shape: Sizes; empty for a scalar.
        numbers: Its elements, row-major; offsets in elements for pointers.
        base: The pointer argument that a pointer comes from, or an empty string.
    """

    shape: tuple[int, ...]
    numbers: tuple[int | float, ...]
    base: str = ""


_Made: TypeAlias = Callable[[Sequence[Value], tuple[int, ...]], Value | None]


def _divided(left: int, right: int) -> int:
    return 0 if right == 0 else int(abs(left) // abs(right) * (1 if left * right >= 0 else -1))


def _remainder(left: int, right: int) -> int:
    return 0 if right == 0 else left - right * _divided(left, right)


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "tt.addptr": operator.add,
    "arith.divf": lambda left, right: left / right if right else 0.0,
    "arith.add": operator.add,
    "arith.sub": operator.sub,
    "arith.mul": operator.mul,
    "arith.div": _divided,
    "arith.rem": _remainder,
    "arith.and": operator.and_,
    "arith.or": operator.or_,
    "arith.xor": operator.xor,
    "arith.shl": lambda left, right: left << min(right, 64),
    "arith.shr": lambda left, right: left >> min(right, 64),
    **dict.fromkeys(("arith.min", "arith.minimum", "arith.minnum"), min),
    **dict.fromkeys(("arith.max", "arith.maximum", "arith.maxnum"), max),
    "arith.ceildiv": lambda left, right: -_divided(-left, right),
    "arith.floordiv": lambda left, right: left // right if right else 0,
}
"""By operation, for integers with and without a sign and for floats unless it is named for one."""
_NUMBERS = re.compile(r"(si|ui|i|f)$")
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
"""By what is compared, signed or not: ``slt`` and ``ult`` are both ``lt``."""
_SAME = {
    "arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "ttg.convert_layout",
    "tt.bitcast", "arith.index_castui", "arith.sitofp", "arith.uitofp", "arith.extf",
    "arith.truncf",
}  # fmt: skip


def leaf(name: str, text: str, shaped: TensorType | None) -> Value | None:
    """What an operation without operands gives, or None where it is another."""
    shape = shaped.shape if shaped is not None else ()
    if name == "tt.make_range":
        start = re.search(r"start = (-?\d+)", text)
        if shape and start:
            return Value(shape, tuple(range(int(start[1]), int(start[1]) + shape[0])))
    elif name == "arith.constant":
        pattern = r"\s*(?:dense<)?(true|false|-?\d+(\.\d+(?:[eE][+-]?\d+)?)?)[>\s:]"
        if found := re.match(pattern, text):
            named = {"true": 1, "false": 0}.get(found[1])
            number = named if named is not None else (float if found[2] else int)(found[1])
            return Value(shape, (number,) * math.prod(shape))
    return None


def computed(
    name: str, text: str, values: Sequence[Value], shaped: TensorType | None
) -> Value | None:
    """What an operation makes of its operands' values, or None where it is not known here."""
    first = values[0]
    function = _BINARY.get(name) or _BINARY.get(_NUMBERS.sub("", name))
    if name == "arith.cmpi":
        function = _COMPARED.get(text.partition(",")[0].strip()[-2:])
    if function is not None:
        right = values[1]
        if first.shape != right.shape:
            return None
        pairs = zip(first.numbers, right.numbers, strict=True)
        numbers = tuple(function(a, b) for a, b in pairs)
        return Value(first.shape, numbers, first.base or right.base)
    made = _MADE.get(name)
    return None if made is None else made(values, shaped.shape if shaped else ())


def _each(function: Callable[[Any], int]) -> _Made:
    return lambda values, shape: Value(shape, tuple(map(function, values[0].numbers)))


def _reshaped(values: Sequence[Value], shape: tuple[int, ...]) -> Value:
    """With another shape; a scalar is in each element of it."""
    of = values[0]
    return Value(shape, of.numbers * (math.prod(shape) // len(of.numbers) or 1), of.base)


def _selected(values: Sequence[Value], _shape: tuple[int, ...]) -> Value | None:
    condition, left, right = values
    count = len(left.numbers)
    asked = condition.numbers * count if not condition.shape else condition.numbers
    if len(asked) != count or len(right.numbers) != count:
        return None
    chosen = zip(asked, left.numbers, right.numbers, strict=True)
    return Value(left.shape, tuple(a if c else b for c, a, b in chosen), left.base)


def _broadcast(values: Sequence[Value], shape: tuple[int, ...]) -> Value | None:
    value = values[0]
    if len(value.shape) != len(shape):
        return None
    numbers = list(value.numbers)
    sizes = list(value.shape)
    for axis in range(len(shape) - 1, -1, -1):
        if sizes[axis] == shape[axis]:
            continue
        inner = math.prod(sizes[axis + 1 :])
        repeats = shape[axis]
        rows = [numbers[at : at + inner] for at in range(0, len(numbers), inner)]
        numbers = [number for row in rows for number in row * repeats]
        sizes[axis] = repeats
    return Value(shape, tuple(numbers), value.base)


_MADE: dict[str, _Made] = {
    "tt.splat": _reshaped,
    "tt.expand_dims": _reshaped,
    "tt.reshape": _reshaped,
    "tt.unsplat": _reshaped,
    "tt.broadcast": _broadcast,
    "arith.select": _selected,
    "arith.fptosi": _each(int),
    "arith.fptoui": _each(int),
    "math.floor": _each(math.floor),
    **dict.fromkeys(_SAME, lambda values, _: values[0]),
}
