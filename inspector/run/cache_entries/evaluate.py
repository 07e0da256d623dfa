"""Whether a guard passes in a state."""

import ast
import re
from collections.abc import Callable, Iterable
from typing import Any

from inspector.records.recompiles import TensorFacts
from inspector.run.cache_entries.relation import identity, normal, relation_holds
from inspector.run.cache_entries.state import State, Value
from inspector.trace import guard_checks as checks
from inspector.trace.guard_trees import Guard

_KEY = re.compile(r"list\(dict\.keys\((.+)\)\)\[\d+\]")
_OF_THREAD = ("Autocast", "BackendSelect")


def passes(guard: Guard, state: State) -> bool | None:
    """Whether a guard passes; None where what it looks at is not known."""
    check = guard.check
    source = normal(guard.source)
    if source and (state.is_gone(source) or _lacks_key(source, check, state)):
        return False
    match check:
        case checks.GlobalStateCheck():
            return all(state.thread.get(part, v) == v for part, v in check.state.items())
        case checks.RelationCheck():
            return _relation(check, state)
        case checks.OtherCheck():
            known = state.thread.get("default_device") if guard.kind == "DEFAULT_DEVICE" else None
            return None if known is None else known == check.text
        case checks.AliasCheck():
            return _apart(check, state)
    compare = _COMPARE.get(type(check))
    return None if compare is None else compare(check, state.value(source))


def _lacks_key(source: str, check: checks.Check, state: State) -> bool:
    """Whether a guard wants a key at a place of a dict that has no such key."""
    if not isinstance(check, checks.EqualsCheck):
        return False
    key = _KEY.fullmatch(source)
    return key is not None and state.value(key[1]).items.get(check.text) is False


def _relation(check: checks.RelationCheck, state: State) -> bool | None:
    pair = identity(check.expression)
    if pair is None:
        return relation_holds(check.expression, state.number)
    if pair in state.same:
        return True
    # Modules, dicts and functions that one tree compares, and another does not, are what they were.
    values = [state.value(normal(side)) for side in pair if side.startswith("L[")]
    return False if len(values) == len(pair) and all(value.tensor for value in values) else None


def _apart(check: checks.AliasCheck, state: State) -> bool | None:
    """Whether tensors that must be different ones are."""
    if not check.text.startswith("check_no_aliasing("):
        return None
    listed = check.text.removeprefix("check_no_aliasing(").removesuffix(")")
    names = {normal(name) for name in listed.split(", ")}
    return not any(pair <= names for pair in state.same)


def _tensor(check: TensorFacts, value: Value) -> bool | None:
    """``TensorCheck::check`` in torch/csrc/dynamo/guards.cpp (2.13)."""
    tensor = value.tensor
    if tensor is None:
        return False if value.type or value.text is not None else None
    if not (
        check.type == tensor.type
        and check.dtype == tensor.dtype
        and check.device_index == tensor.device_index
        and check.requires_grad == tensor.requires_grad
        and set(own_keys(check.keys)) == set(own_keys(tensor.keys))
    ):
        return False
    if len(check.size) != len(tensor.size):
        return False
    pairs = [
        *zip(check.size, tensor.size, strict=True),
        *zip(check.stride, tensor.stride, strict=False),
    ]
    if any(want is not None and have is not None and want != have for want, have in pairs):
        return False
    return None if any(want is not None and have is None for want, have in pairs) else True


def _equals(check: checks.EqualsCheck, value: Value) -> bool | None:
    if value.tensor is not None:
        return False
    if value.text is None:
        expected = f"<class '{type(check.value).__name__}'>"
        return False if value.type and check.is_literal and value.type != expected else None
    if value.text == check.text:
        return True
    if not check.is_literal:
        return False
    try:
        found = ast.literal_eval(value.text)
    except (ValueError, SyntaxError):
        return False
    return type(found) is type(check.value) and bool(found == check.value)


def _type(check: checks.TypeCheck, value: Value) -> bool | None:
    if value.tensor is not None:
        return value.tensor.type in check.type
    return None if not value.type else value.type == check.type


def _id(check: checks.IdCheck, value: Value) -> bool | None:
    if not value.identity:
        return False if value.type and value.text is not None else None
    return value.identity == check.id


def _length(check: checks.LengthCheck, value: Value) -> bool | None:
    if value.length is None:
        return False if value.text is not None or value.tensor is not None else None
    return value.length == check.length


_COMPARE: dict[type, Callable[[Any, Value], bool | None]] = {
    TensorFacts: _tensor,
    checks.EqualsCheck: _equals,
    checks.TypeCheck: _type,
    checks.IdCheck: _id,
    checks.LengthCheck: _length,
    checks.ContainsCheck: lambda check, value: (
        value.items[check.item] == check.expected if check.item in value.items else None
    ),
    checks.MarkCheck: lambda check, value: (
        False if any(value.items.get(mark) for mark in check.marks) else None
    ),
}


def own_keys(keys: Iterable[str]) -> list[str]:
    """The tensor's own keys, in order.

    Those of autocast, which `GLOBAL_STATE` compares, and of what takes no tensor are the thread's
    (``LocalState::apply``, torch/csrc/dynamo/guards.cpp, 2.11 to 2.13).
    """
    return [key for key in keys if not key.startswith(_OF_THREAD)]
