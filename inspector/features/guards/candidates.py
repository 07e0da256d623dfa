"""Real changes of what the guards of a frame look at, to be tried on its cache entries."""

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

from inspector.features.guards.change import (
    Change,
    ChangeKind,
    another_object,
    having,
    of_length,
    of_thread,
    of_value,
)
from inspector.features.guards.predict import FrameGuards
from inspector.run.cache_entries.relation import normal
from inspector.trace.guard_checks import Check, ContainsCheck, EqualsCheck, IdCheck, LengthCheck
from inspector.trace.guard_source import Origin
from inspector.trace.guard_text import TextCause
from inspector.trace.guard_trees import Guard

_MOST_KEYS = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """A change to try.

    Attributes:
        name: The user's spelling of what changes.
        fixed: What an entry assumes of it, as a sentence.
        other: What comes in its place.
        aspect: What a guard expects of it, to see whether two entries differ.
        has_changed: Whether two entries are known to expect another one of it.
        is_dynamic: Whether it is so already, within what is assumed.
    """

    change: Change
    name: str
    fixed: str
    other: str
    cause: TextCause | None
    aspect: Callable[[Check], str] = repr
    has_changed: bool = False
    is_dynamic: bool = False


# Of a value the next one to try.
_VALUES: dict[type, tuple[ChangeKind, Callable[[Any], object]]] = {
    bool: (ChangeKind.BOOL, lambda value: not value),
    int: (ChangeKind.INT, lambda value: value + 5),
    float: (ChangeKind.FLOAT, lambda value: value + 1.5),
    str: (ChangeKind.STR, lambda value: f"{value}'"),
    type(None): (ChangeKind.NONE, lambda _value: "something"),
}
_MOST_TRIED = 100  # an infinite float stays what it is
_BY_ORIGIN = {
    Origin.MODULE: ChangeKind.ATTRIBUTE,
    Origin.GLOBAL: ChangeKind.GLOBAL,
    Origin.CLOSURE: ChangeKind.CLOSURE,
}
# What Python keeps in functions and classes, and modules in themselves: nobody changes it.
_INSIDE = re.compile(
    r"\.__(?:kw)?defaults__|\.__class__(?:$|\.)|\._(?:name|value)_$|\.f(?:get|set|del)$"
    r"|\.__mro__|\._modules$|\._non_persistent_buffers_set"
)
_THREAD = "autocast, default dtype, deterministic algorithms, number of threads"


def value_candidates(frame: FrameGuards) -> Iterator[Candidate]:
    """Changes of everything but tensors' sizes and metadata."""
    for guard in frame.entries[-1].guards:
        if guard.origin in (Origin.LIBRARY, Origin.PARAMETER) or _INSIDE.search(guard.source):
            continue
        source, name = guard.source, guard.name
        match guard.check:
            case EqualsCheck(is_literal=True, value=value) if type(value) in _VALUES:
                yield from _of_value(frame, guard, value)
            case LengthCheck(length=length) if guard.origin is not Origin.MODULE:
                yield _of_length(frame, guard, length)
            case IdCheck():
                is_function = source.endswith(".__code__")
                # Other globals are modules, classes and the like, which nobody changes.
                if is_function or guard.origin is not Origin.GLOBAL:
                    kind = ChangeKind.FUNCTION if is_function else ChangeKind.ENUM
                    what = "function" if is_function else "object"
                    name = name.removesuffix(".__code__")
                    yield Candidate(
                        another_object(kind, source), name, f"{name} is specialized on one {what}",
                        f"another {what}", guard.cause,
                    )  # fmt: skip
            case ContainsCheck(item=item, expected=expected) if guard.origin is Origin.INPUT:
                # A key, or an attribute, that the code asks for.
                what = f"attribute {item}" if guard.kind == "HASATTR" else item
                verb, instead = ("has", "without it") if expected else ("has no", "with it")
                yield Candidate(
                    having(ChangeKind.KEYS, source, {item: not expected}, None), name,
                    f"{name} {verb} {what}", f"a call {instead}", guard.cause,
                )  # fmt: skip
    if "grad_mode" in frame.state.thread:
        is_on = frame.state.thread["grad_mode"]
        yield Candidate(
            of_thread(ChangeKind.GRAD_MODE, grad_mode=not is_on), "global state",
            f"the code is specialized on the global state (grad mode {'on' if is_on else 'off'}, "
            f"{_THREAD})", "another state", None,
        )  # fmt: skip


def _unseen_value(frame: FrameGuards, source: str, value: object) -> object:
    """A value that no entry has been compiled for, if there is one."""
    _, after = _VALUES[type(value)]
    checks = (guard.check for guard in frame.same_source(source))
    seen = [(type(c.value), c.value) for c in checks if isinstance(c, EqualsCheck)]
    new = after(value)
    for _ in range(_MOST_TRIED):
        if (type(new), new) not in seen:
            return new
        new = after(new)
    return after(value)


def _of_value(frame: FrameGuards, guard: Guard, value: object) -> Iterator[Candidate]:
    kind, _ = _VALUES[type(value)]
    kind = _BY_ORIGIN.get(guard.origin, kind)
    if "dict.keys(" in guard.source:
        return  # the dict's own row says it
    name, other = guard.name, "another value"
    if guard.origin is Origin.CLOSURE:
        # The variable's own name, where torch's hint has it.
        note = guard.cause.note if guard.cause else ""
        _, found, rest = note.partition('guard on "')
        name = rest.partition('"')[0] if found else name
    elif guard.origin is Origin.GLOBAL:
        name = f"the global {name}"
    fixed = f"{name} is specialized on {value!r}"
    if value is None:
        fixed, other = f"{name} is None", "a value"
    elif guard.source.endswith(".training"):
        kind, fixed = ChangeKind.TRAINING, f"{name} is {value}"
        other = "eval()" if value else "train()"
    elif isinstance(value, bool):
        other = repr(not value)
    unseen = _unseen_value(frame, guard.source, value)
    yield Candidate(of_value(kind, guard.source, unseen), guard.name, fixed, other, guard.cause)


def _of_length(frame: FrameGuards, guard: Guard, length: int) -> Candidate:
    """Another length; the keys of a dict are fixed together, and in their order."""
    source, name = guard.source, guard.name
    keys = keys_of(frame, source)
    checks = (other.check for other in frame.same_source(source))
    seen = [check.length for check in checks if isinstance(check, LengthCheck)]
    unseen = max([len(keys) or length, *seen]) + 1  # no entry has been compiled for it
    if keys:
        more = f" and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
        order = ", in this order" if len(keys) > 1 else ""
        every = {keys_of(frame, source, entry) for entry in range(len(frame.indexes))}
        return Candidate(
            of_length(ChangeKind.KEYS, source, len(keys), unseen), name,
            f"{name} is specialized on its keys {', '.join(keys[:_MOST_KEYS])}{more}{order}",
            "another set", guard.cause, has_changed=len(every) > 1,
        )  # fmt: skip
    kind = ChangeKind.KEYS if "Dict" in guard.kind or "DICT" in guard.kind else ChangeKind.LENGTH
    if source.count("[") == 1 and name in ("args", "rest"):
        kind = ChangeKind.ARGUMENTS
    return Candidate(
        of_length(kind, source, length, unseen), name,
        f"{name} is specialized on length {length}", "another length", guard.cause,
    )  # fmt: skip


def keys_of(frame: FrameGuards, source: str, entry: int = -1) -> tuple[str, ...]:
    """The keys that an entry wants of a dict that the code goes through, in order; else nothing."""
    index = frame.indexes[entry]
    begin = f"list(dict.keys({normal(source)}))["
    found = {
        int(normal(guard.source).removeprefix(begin).removesuffix("]")): guard.check.text
        for guard in map(index.guards.__getitem__, index.keys_of(normal(source)))
        if isinstance(guard.check, EqualsCheck) and guard.source.endswith("]")
    }
    return tuple(found[place] for place in sorted(found))
