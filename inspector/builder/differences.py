"""Everything in which a call differs from what a cache entry wants.

Torch reports the first guard of an entry that failed, and behind it further ones would have: the
second input of the same batch, the container beside the counter. What was compiled instead has
guards on the call's own values, and the entry's guards are evaluated on those.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from inspector.builder.recompile_class import literal_class, of_dispatch_keys, state_class
from inspector.builder.recompile_facts import CompileFacts
from inspector.events.failed_guard import stripped_source
from inspector.events.guard_checks import (
    AliasCheck,
    Check,
    ContainsCheck,
    EqualsCheck,
    GlobalStateCheck,
    IdCheck,
    LengthCheck,
    MarkCheck,
    RelationCheck,
    TensorCheck,
    TypeCheck,
)
from inspector.events.recompile import SeenValue
from inspector.guards.entry import Entry
from inspector.guards.evaluate import passes
from inspector.guards.relation import normal
from inspector.guards.state import State, Tensor, Value, state_after
from inspector.model.guards import Guard
from inspector.model.recompile import Change, RecompileClass

__all__ = ["called_with", "differences"]

_C = RecompileClass
_MOST = 64
_OF_THREAD = frozenset({"BackendSelect"})
_NONE = "None"
_KEY_SOURCE = re.compile(r"list\(dict\.keys\((.+)\)\)\[\d+\]")
_FUNCTION = re.compile(
    r"<class '(?:function|builtin_function_or_method|code|method\w*)'>|<function"
)
_SIZED = re.compile(r"([LG]\[.+?)\.size\(\)\[(\d+)\]")
# Of another object, what it holds is other, too.
_WHOLE = frozenset({_C.TYPE, _C.NONE, _C.OBJECT, _C.FUNCTION, _C.ENUM})
# All modules have the flag, and all tensors see the thread's state: once is enough.
_ONCE = frozenset({_C.TRAINING, _C.MARKS})
_CAN_BE_DYNAMIC = frozenset({_C.SIZE, _C.STRIDE, _C.INT, _C.FLOAT, _C.TYPE, _C.SYMBOLIC_SHAPE})


def called_with(facts: CompileFacts, like: Entry | None) -> State | None:
    """What a call came with, as far as what was compiled for it and the process tell.

    Args:
        facts: What was compiled.
        like: A cache entry; where nothing was compiled (the limit is reached), the values that the
            process did not look at are taken to be this entry's.
    """
    own = facts.entry()
    entry = own or like
    if entry is None:
        return None
    state = state_after([entry])
    values = dict(state.values)
    for name, seen in facts.seen.now.items() if facts.seen else ():
        source = _source_of(name, entry)
        if own is None or source not in values:
            values[source] = _with(values.get(source, Value()), seen)
    return dataclasses.replace(state, values=values)


def differences(entry: Entry, state: State, facts: CompileFacts) -> tuple[Change, ...]:
    """What an entry wants otherwise than a call has it, in the order of its guards.

    Args:
        entry: The cache entry.
        state: What the call came with.
        facts: What was compiled for the call.
    """
    found: dict[tuple[RecompileClass, str, int | None], Change] = {}
    whole: list[str] = []
    for guard in entry.guards:
        if passes(guard, state) is not False:
            continue
        if any(guard.source.startswith((f"{source}.", f"{source}[")) for source in whole):
            continue
        for change in _changes(guard, state):
            source = "" if change.kind in _ONCE else change.source
            key = (change.kind, source, change.index)
            if change.source in whole or key in found or len(found) >= _MOST:
                continue
            found[key] = _answered(change, facts)
            whole += [change.source] if change.kind in _WHOLE else []
    return tuple(found.values())


def _source_of(name: str, entry: Entry) -> str:
    """A source as guards spell it; reasons leave ``L[…]`` out."""
    for guard in entry.guards:
        if guard.source and stripped_source(guard.source) == name:
            return normal(guard.source)
    match = re.match(r"([A-Za-z_]\w*)(.*)", name, re.DOTALL)
    if match is None or match[1] in {"G", "L"}:
        return name
    return normal(f"L['{match[1]}']{match[2]}")


def _with(value: Value, seen: SeenValue) -> Value:
    """A value as the process saw it, in place of a known one."""
    if seen.tensor is not None:
        return Value(tensor=_seen_tensor(value.tensor, seen.tensor))
    if seen.kind == "container":
        return dataclasses.replace(value, type=f"<class '{seen.type}'>", length=seen.length)
    text = seen.text if seen.kind in {"none", "bool", "int", "float", "str", "constant"} else None
    kind = "" if seen.kind in {"tensor", "enum"} else f"<class '{seen.type}'>"
    return Value(type=kind, text=text)


def _seen_tensor(known: Tensor | None, seen: Mapping[str, Any]) -> Tensor | None:
    try:
        keys = tuple(map(str, seen["keys"]))
        # The thread's own keys are not on the tensor (LocalState::apply, guards.cpp).
        if known and set(known.keys) - set(keys) <= _OF_THREAD and set(keys) <= set(known.keys):
            keys = known.keys
        return Tensor(
            type=str(seen["type"]),
            keys=keys,
            dtype=str(seen["dtype"]),
            device_index=seen["device_index"],
            requires_grad=bool(seen["requires_grad"]),
            size=tuple(map(int, seen["size"])),
            stride=tuple(map(int, seen["stride"])),
        )
    except (KeyError, TypeError, ValueError):
        return known


def _answered(change: Change, facts: CompileFacts) -> Change:
    """With what became of it: symbolic in what was compiled instead, or made a constant there."""
    if change.kind not in _CAN_BE_DYNAMIC:
        return change
    wanted = {change.source, f"{change.source}.item()"}
    if change.kind is _C.SIZE:
        wanted = {f"{change.source}.size()[{change.index}]"}
    elif change.kind is _C.STRIDE:
        wanted = {f"{change.source}.stride()[{change.index}]"}
    elif change.kind is _C.SYMBOLIC_SHAPE:
        wanted = {match[0] for match in _SIZED.finditer(change.source)}
    found = wanted & {symbol.source for symbol in facts.created()}
    constants = [special.value for source in found if (special := facts.specialized(source))]
    return dataclasses.replace(
        change,
        is_dynamic=bool(found) and not constants,
        specialized=constants[0] if constants else None,
    )


def _changes(guard: Guard, state: State) -> Iterable[Change]:
    value = state.values.get(normal(guard.source), Value())
    match guard.check:
        case GlobalStateCheck(state=wanted):
            return _of_state(wanted, state.thread)
        case RelationCheck(expression=text):
            now = ", ".join(_sizes_in(text, state))
            return (Change(_C.SYMBOLIC_SHAPE, text, stripped_source(text), None, "", now),)
        case AliasCheck():
            return (Change(_C.ALIASING, guard.source, stripped_source(guard.source), None, "", ""),)
    compare = _OF_VALUE.get(type(guard.check))
    return compare(guard, guard.check, value) if compare else ()


def _sizes_in(text: str, state: State) -> Iterator[str]:
    for source in dict.fromkeys(match[0] for match in _SIZED.finditer(text)):
        number = state.number(normal(source))
        if number is not None:
            yield f"{stripped_source(source)} = {number}"


def _of_state(wanted: Mapping[str, object], found: Mapping[str, object]) -> Iterator[Change]:
    for part, value in wanted.items():
        now = found.get(part, value)
        if now != value:
            kind = state_class(part.removesuffix("_state"))
            plain = not isinstance(value, dict | list)
            before, after = (str(value), str(now)) if plain else ("", "")
            yield Change(kind, part, part, None, before, after)


def _one(
    guard: Guard, kind: RecompileClass, before: object, now: object, index: int | None = None
) -> Change:
    key = _KEY_SOURCE.fullmatch(guard.source)
    source = key[1] if key else guard.source
    kind = _C.KEYS if key else kind
    return Change(kind, source, stripped_source(source), index, str(before), str(now))


def _of_tensor(guard: Guard, check: TensorCheck, value: Value) -> Iterator[Change]:
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
    wanted, found = (f"({', '.join(_own(keys))})" for keys in (check.keys, tensor.keys))
    if wanted != found:
        yield _one(guard, of_dispatch_keys(wanted, found), wanted, found)
    if len(check.size) == len(tensor.size):
        yield from _of_numbers(guard, check, tensor)


def _own(keys: Iterable[str]) -> list[str]:
    """The keys without autocast's, which are the thread's."""
    return [key for key in keys if not key.startswith("Autocast")]


def _of_numbers(guard: Guard, check: TensorCheck, tensor: Tensor) -> Iterator[Change]:
    """Sizes; and strides, where they do not follow from those."""
    sizes = tuple(_unequal(guard, _C.SIZE, check.size, tensor.size))
    yield from sizes
    order = _dense_order(check.size, check.stride)
    if not sizes or order is None or order != _dense_order(tensor.size, tensor.stride):
        yield from _unequal(guard, _C.STRIDE, check.stride, tensor.stride)


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
    for stride, n, size in sorted(known, key=lambda item: item[:2]):
        if size == 1:
            continue
        if stride != wanted:
            return None
        # Behind a size that is not known nothing is: it can be the outermost one alone.
        wanted = None if size is None else wanted * size
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


def _of_constant(guard: Guard, check: EqualsCheck, value: Value) -> Iterator[Change]:
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


def _of_type(guard: Guard, check: TypeCheck, value: Value) -> Iterator[Change]:
    now = value.type or (f"<class '{value.tensor.type}'>" if value.tensor else "")
    kind = _C.NONE if "NoneType" in check.type + now else _C.TYPE
    yield _one(guard, kind, _class_name(check.type), _class_name(now))


def _class_name(text: str) -> str:
    match = re.fullmatch(r"<(?:class|enum|flag) '(.+)'>", text)
    return match[1] if match else text


def _of_identity(guard: Guard, check: IdCheck, value: Value) -> Iterator[Change]:
    is_function = guard.source.endswith(".__code__") or _FUNCTION.match(check.type)
    is_enum = check.type.startswith(("<enum", "<flag"))
    kind = _C.ENUM if is_enum else _C.FUNCTION if is_function else _C.OBJECT
    if value.text == _NONE:
        kind = _C.NONE
    yield _one(guard, kind, "", value.text or "")


def _of_length(guard: Guard, check: LengthCheck, value: Value) -> Iterator[Change]:
    yield _one(guard, _C.LENGTH, check.length, "" if value.length is None else value.length)


def _of_item(guard: Guard, check: ContainsCheck, _value: Value) -> Iterator[Change]:
    kind = _C.ATTRIBUTE if check.item.isidentifier() else _C.KEYS
    sides = (f"with {check.item}", f"without {check.item}")
    before, now = sides if check.expected else reversed(sides)
    yield _one(guard, kind, before, now)


def _of_mark(guard: Guard, _check: MarkCheck, _value: Value) -> Iterator[Change]:
    yield _one(guard, _C.MARKS, "", "")


_OF_VALUE: Mapping[type[Check], Callable[[Guard, Any, Value], Iterator[Change]]] = {
    TensorCheck: _of_tensor,
    EqualsCheck: _of_constant,
    TypeCheck: _of_type,
    IdCheck: _of_identity,
    LengthCheck: _of_length,
    ContainsCheck: _of_item,
    MarkCheck: _of_mark,
}
