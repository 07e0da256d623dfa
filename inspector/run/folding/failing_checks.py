"""What a guard that fails wants, and what the call has instead, by the kind of its check."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from inspector.records.recompiles import TensorFacts
from inspector.run.cache_entries.evaluate import own_keys
from inspector.run.cache_entries.relation import identity, normal
from inspector.run.cache_entries.state import State, Value
from inspector.run.folding.dict_keys import keys_text
from inspector.run.folding.recompile_class import (
    ENUM_TYPE,
    FUNCTIONS,
    KEY_SOURCE,
    literal_class,
    of_dispatch_keys,
    state_class,
)
from inspector.run.recompile import Change, RecompileClass
from inspector.trace import guard_checks as checks
from inspector.trace.failed_guard import stripped_source
from inspector.trace.guard_trees import Guard

_C = RecompileClass
_NONE = "None"
_ON_SIZES = re.compile(r"\.(?:size|stride|storage_offset)\(\)")
_SOURCE = re.compile(r"[LG]\['[^']+'\](?:\.[A-Za-z_]\w*|\['[^']*'\]|\[\d+\])*")
# Names of c10::ScalarType by number (c10/core/ScalarType.h): what can be the default.
_DTYPES = {"5": "torch.float16", "6": "torch.float32", "7": "torch.float64", "15": "torch.bfloat16"}
SIZED = re.compile(r"([LG]\[.+?)\.size\(\)\[(\d+)\]")


def changes_of(guard: Guard, state: State) -> Iterable[Change]:
    """What a guard that fails wants, and what the call has instead."""
    value = state.values.get(normal(guard.source), Value())
    match guard.check:
        case checks.GlobalStateCheck(state=wanted):
            return _of_state(wanted, state.thread)
        case checks.RelationCheck(expression=text):
            return _of_relation(guard, text, state)
        case checks.AliasCheck():
            return (Change(_C.ALIASING, guard.source, stripped_source(guard.source), None, "", ""),)
    compare = _OF_VALUE.get(type(guard.check))
    return compare(guard, guard.check, value) if compare else ()


def _of_relation(guard: Guard, text: str, state: State) -> Iterable[Change]:
    """A condition on sizes, on a number, or that two inputs are one object."""
    pair = identity(text)
    if pair is not None:
        source, other = sorted(pair)
        one, two = stripped_source(source), stripped_source(other)
        sides = (f"{one} is {two}", f"{one} is not {two}")
        return (Change(_C.ALIASING, source, one, None, *sides),)
    if _ON_SIZES.search(text):
        now = ", ".join(_sizes_in(text, state))
        return (Change(_C.SYMBOLIC_SHAPE, text, stripped_source(text), None, "", now),)
    sources = dict.fromkeys(match[0] for match in _SOURCE.finditer(text))
    if len(sources) != 1:
        return (Change(_C.OTHER, guard.source, stripped_source(text), None, "", ""),)
    (source,) = sources
    number = state.number(normal(source))
    kind = _C.FLOAT if isinstance(number, float) else _C.INT
    now = "" if number is None else repr(number)
    return (Change(kind, source, stripped_source(source), None, "", now),)


def _sizes_in(text: str, state: State) -> Iterator[str]:
    for source in dict.fromkeys(match[0] for match in SIZED.finditer(text)):
        number = state.number(normal(source))
        if number is not None:
            yield f"{stripped_source(source)} = {number}"


def _of_state(wanted: Mapping[str, object], found: Mapping[str, object]) -> Iterator[Change]:
    for part, value in wanted.items():
        now = found.get(part, value)
        if now != value:
            kind = state_class(part.removesuffix("_state"))
            plain = not isinstance(value, dict | list)
            sides = (str(value), str(now)) if plain else ("", "")
            if kind is _C.DEFAULT_DTYPE:
                sides = (_DTYPES.get(sides[0], sides[0]), _DTYPES.get(sides[1], sides[1]))
            yield Change(kind, part, part, None, *sides)


def _one(
    guard: Guard, kind: RecompileClass, before: object, now: object, index: int | None = None
) -> Change:
    key = KEY_SOURCE.fullmatch(guard.source)
    source = key[1] if key else guard.source
    kind = _C.KEYS if key else kind
    return Change(kind, source, stripped_source(source), index, str(before), str(now))


def _of_tensor(guard: Guard, check: TensorFacts, value: Value) -> Iterator[Change]:
    tensor = value.tensor
    if tensor is None:
        is_none = _NONE in {value.text, value.type} or "NoneType" in value.type
        yield _one(guard, _C.NONE if is_none else _C.TYPE, "a tensor", value.text or value.type)
        return
    if check.type != tensor.type:
        yield _one(guard, _C.TYPE, check.type, tensor.type)
    pairs = (
        (_C.DTYPE, check.dtype, tensor.dtype),
        (_C.DEVICE, check.device_index, tensor.device_index),
        (_C.REQUIRES_GRAD, check.requires_grad, tensor.requires_grad),
        (_C.RANK, len(check.size), len(tensor.size)),
    )
    for kind, before, now in pairs:
        if before != now:
            yield _one(guard, kind, before, now)
    wanted, found = (f"({', '.join(own_keys(keys))})" for keys in (check.keys, tensor.keys))
    if wanted != found:
        yield _one(guard, of_dispatch_keys(wanted, found), wanted, found)
    if len(check.size) == len(tensor.size):
        yield from _of_numbers(guard, check, tensor)


def _of_numbers(guard: Guard, check: TensorFacts, tensor: TensorFacts) -> Iterator[Change]:
    """Sizes; and strides, where they do not follow from those."""
    sizes = tuple(_unequal(guard, _C.SIZE, check.size, tensor.size))
    yield from sizes
    if not sizes or not _follow(check, tensor):
        yield from _unequal(guard, _C.STRIDE, check.stride, tensor.stride)


def _follow(check: TensorFacts, tensor: TensorFacts) -> bool:
    """Whether both tensors are without gaps, and lie in memory in the same order of dimensions.

    A dimension of size 1 has no place in that order: where only one of the two has it, the other
    may have it where a contiguous tensor does.
    """
    before, now = _dense_order(check.size, check.stride), _dense_order(tensor.size, tensor.stride)
    if before is None or now is None:
        return False
    both = set(before) & set(now)
    kept, found = ([n for n in order if n in both] for order in (before, now))
    contiguous = all(order == tuple(sorted(order, reverse=True)) for order in (before, now))
    return kept == found and (contiguous or set(before) == set(now))


def _dense_order(
    sizes: tuple[int | None, ...], strides: tuple[int | None, ...]
) -> tuple[int, ...] | None:
    """The dimensions of a tensor without gaps, the innermost first; None for any other tensor."""
    order: list[int] = []
    wanted: int | None = 1
    numbers = enumerate(zip(sizes, strides, strict=False))
    known = [(stride, n, size) for n, (size, stride) in numbers if stride is not None]
    if len(known) < len(sizes):
        return None
    # Of equal strides, which sizes 0 bring, the last dimension lies innermost.
    for stride, n, size in sorted(known, key=lambda item: (item[0], -item[1])):
        if size == 1:
            continue
        if stride != wanted:
            return None
        # Behind a size that is not known nothing is: it can be the outermost one alone. A tensor
        # of size 0 has the strides of one of size 1 (`contiguous_strides`, c10/core/TensorImpl.h).
        wanted = None if size is None else wanted * max(size, 1)
        order.append(n)
    return tuple(order)


def _unequal(
    guard: Guard,
    kind: RecompileClass,
    wanted: tuple[int | None, ...],
    found: tuple[int | None, ...],
) -> Iterator[Change]:
    for index, (before, now) in enumerate(zip(wanted, found, strict=False)):
        if before is not None and now is not None and before != now:
            yield _one(guard, kind, before, now, index)


def _of_constant(guard: Guard, check: checks.EqualsCheck, value: Value) -> Iterator[Change]:
    kind = literal_class(check.text)
    if kind is _C.BOOL and guard.source.endswith(".training"):
        kind = _C.TRAINING
    now = value.text or ("a tensor" if value.tensor else "")
    if now == _NONE or "NoneType" in value.type:
        kind = _C.NONE
    elif kind is not _C.NONE and not now and value.type:
        kind, now = _C.TYPE, _class_name(value.type)
    elif now and not value.tensor and literal_class(now) is not literal_class(check.text):
        kind = _C.TYPE  # 2, then 2.5
    yield _one(guard, kind, check.text, now)


def _of_type(guard: Guard, check: checks.TypeCheck, value: Value) -> Iterator[Change]:
    now = value.type or (f"<class '{value.tensor.type}'>" if value.tensor else "")
    kind = _C.NONE if "NoneType" in check.type + now else _C.TYPE
    yield _one(guard, kind, _class_name(check.type), _class_name(now))


def _class_name(text: str) -> str:
    match = re.fullmatch(r"<(?:class|enum|flag) '(.+)'>", text)
    return match[1] if match else text


def _of_identity(guard: Guard, check: checks.IdCheck, value: Value) -> Iterator[Change]:
    seen = [each.kind for each in (check.seen, value.seen) if each]
    is_function = guard.source.endswith(".__code__") or FUNCTIONS.match(check.type)
    # Torch 2.11 shows the member itself, 2.13 its class, which is like any other.
    is_enum = ENUM_TYPE.match(check.type) or literal_class(check.type) is _C.ENUM
    kind = _C.OBJECT
    if is_enum or "enum" in seen:
        kind = _C.ENUM
    elif is_function or "function" in seen:
        kind = _C.FUNCTION
    if value.text == _NONE:
        kind = _C.NONE
    before = check.seen.text if check.seen else ""
    yield _one(guard, kind, before, value.text or (value.seen.text if value.seen else ""))


def _of_length(guard: Guard, check: checks.LengthCheck, value: Value) -> Iterator[Change]:
    before, now = str(check.length), "" if value.length is None else str(value.length)
    if "dict" in guard.kind.lower() and not guard.source.endswith("._modules"):
        yield _one(guard, _C.KEYS, keys_text(None, before), keys_text(None, now) or "")
        return
    yield _one(guard, _C.LENGTH, before, now)


def _of_item(guard: Guard, check: checks.ContainsCheck, _value: Value) -> Iterator[Change]:
    kind = _C.ATTRIBUTE if check.item.isidentifier() else _C.KEYS
    sides = (f"with {check.item}", f"without {check.item}")
    before, now = sides if check.expected else reversed(sides)
    yield _one(guard, kind, before, now)


def _of_mark(guard: Guard, _check: checks.MarkCheck, _value: Value) -> Iterator[Change]:
    yield _one(guard, _C.MARKS, "", "")


_OF_VALUE: Mapping[type[checks.Check], Callable[[Guard, Any, Value], Iterator[Change]]] = {
    TensorFacts: _of_tensor,
    checks.EqualsCheck: _of_constant,
    checks.TypeCheck: _of_type,
    checks.IdCheck: _of_identity,
    checks.LengthCheck: _of_length,
    checks.ContainsCheck: _of_item,
    checks.MarkCheck: _of_mark,
}
