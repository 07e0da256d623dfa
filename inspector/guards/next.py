"""What recompiles next: single changes of inputs and state, the most likely ones first.

Every line is what `predict` says of a real change; nothing is told from the kind of a guard alone.
The order is a judgement, not a measurement: what has changed before, then what callers change
(sizes, numbers, lengths, flags), then what a program changes (modes, attributes, globals).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator

from inspector.events.guard_checks import Check, EqualsCheck, IdCheck, LengthCheck, TensorCheck
from inspector.events.guard_text import TextCause
from inspector.guards.change import (
    Change,
    ChangeKind,
    another_object,
    of_length,
    of_tensor,
    of_thread,
    of_value,
    resized,
)
from inspector.guards.predict import Becomes, FrameGuards, Prediction, predict
from inspector.guards.relation import normal
from inspector.guards.state import Tensor
from inspector.model.guard_source import Origin
from inspector.model.guards import Guard

__all__ = ["NextChange", "next_changes"]


def _other_int(value: object) -> int:
    return value + 5 if isinstance(value, int) else 5


def _other_float(value: object) -> float:
    return value + 1.5 if isinstance(value, float) else 1.5


_RANKS = {
    kind: rank
    for rank, kind in enumerate(
        (
            ChangeKind.SIZE, ChangeKind.INT, ChangeKind.FLOAT, ChangeKind.ARGUMENTS,
            ChangeKind.LENGTH, ChangeKind.KEYS, ChangeKind.BOOL, ChangeKind.NONE, ChangeKind.STR,
            ChangeKind.ENUM, ChangeKind.ATTRIBUTE, ChangeKind.TRAINING, ChangeKind.GRAD_MODE,
            ChangeKind.DTYPE, ChangeKind.STRIDE, ChangeKind.CLOSURE, ChangeKind.FUNCTION,
            ChangeKind.GLOBAL, ChangeKind.TYPE,
        )
    )
}  # fmt: skip
_VALUES: dict[type, tuple[ChangeKind, Callable[[object], object]]] = {
    bool: (ChangeKind.BOOL, lambda value: not value),
    int: (ChangeKind.INT, _other_int),
    float: (ChangeKind.FLOAT, _other_float),
    str: (ChangeKind.STR, lambda value: f"{value}'"),
    type(None): (ChangeKind.NONE, lambda _value: "something"),
}
_BY_ORIGIN = {
    Origin.MODULE: ChangeKind.ATTRIBUTE,
    Origin.GLOBAL: ChangeKind.GLOBAL,
    Origin.CLOSURE: ChangeKind.CLOSURE,
}
_NOUNS = {bool: "a bool", int: "an int", float: "a float", str: "a str", type(None): "None"}
# What Python keeps in functions and classes, and modules in themselves: nobody changes it.
_INSIDE = re.compile(
    r"\.__(?:kw)?defaults__|\.__class__(?:$|\.)|\._(?:name|value)_$|\.f(?:get|set|del)$"
    r"|\.__mro__|\._modules$|\._non_persistent_buffers_set"
)
_THREAD = "autocast, default dtype, deterministic algorithms, number of threads"
_ONE = "a size of 1"


@dataclasses.dataclass(frozen=True, slots=True)
class NextChange:
    """A change that makes torch compile again, or run a frame eagerly.

    Attributes:
        kind: What changes.
        source: Torch's spelling of what changes; empty for the state of the thread.
        name: The user's spelling.
        text: What is fixed and what a change leads to, in one sentence.
        becomes: What becomes of it.
        changed_before: Whether two entries of the frame differ in it.
        cause: The line because of which it is fixed, or None.
        more: How many other values are in the same position (``training`` of other modules).
        is_certain: Whether every guard that decides it could be evaluated.
    """

    kind: ChangeKind
    source: str
    name: str
    text: str
    becomes: Becomes
    changed_before: bool
    cause: TextCause | None
    more: int = 0
    is_certain: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class _Candidate:
    change: Change
    name: str
    fixed: str
    other: str
    cause: TextCause | None
    aspect: Callable[[Check], str] = repr


def _size_of(dimension: int) -> Callable[[Check], str]:
    """What a guard expects of one size."""
    return lambda check: (
        str(check.size[dimension])
        if isinstance(check, TensorCheck) and dimension < len(check.size)
        else ""
    )


def _rest_of_tensor(check: Check) -> str:
    """What a guard expects of a tensor but for its sizes."""
    if not isinstance(check, TensorCheck):
        return ""
    return repr((check.type, check.dtype, check.requires_grad, check.device_index, len(check.size)))


def next_changes(frame: FrameGuards) -> tuple[NextChange, ...]:
    """The changes that lead to a compilation next, the most likely first."""
    found: list[NextChange] = []
    for candidate in () if frame.is_skipped else _candidates(frame):
        prediction = predict(frame, candidate.change)
        if prediction.recompiles or prediction.becomes is Becomes.EAGER:
            found.append(_told(frame, candidate, prediction))
    merged = _merged(found)
    return tuple(
        sorted(
            merged,
            key=lambda item: (
                not item.changed_before,
                _is_of_torch(item),
                _RANKS.get(item.kind, len(_RANKS)),
            ),
        )
    )


def _is_of_torch(item: NextChange) -> bool:
    """Whether a line of torch's own modules is why it is fixed: their settings rarely change."""
    is_setting = item.kind is ChangeKind.ATTRIBUTE and item.cause is not None
    return is_setting and item.cause is not None and item.cause.file.startswith("nn/modules/")


def _told(frame: FrameGuards, candidate: _Candidate, prediction: Prediction) -> NextChange:
    change = candidate.change
    left = frame.settings.recompile_limit - len(frame.entries)
    match prediction.becomes:
        case Becomes.DYNAMIC:
            leads = f"{candidate.other} compiles once more and then becomes dynamic"
        case Becomes.EAGER:
            leads = (
                f"the recompile limit ({frame.settings.recompile_limit}) is reached, so "
                f"{candidate.other} runs eagerly"
            )
        case _ if candidate.other == _ONE:
            leads = "0 and 1 are compiled as constants of their own"
        case _:
            leads = f"one compilation per value, {left} more until the recompile limit"
    return NextChange(
        kind=change.kind,
        source=change.source,
        name=candidate.name,
        text=f"{candidate.fixed}: {leads}",
        becomes=prediction.becomes,
        changed_before=_changed_before(frame, candidate),
        cause=candidate.cause,
        is_certain=prediction.is_certain,
    )


def _candidates(frame: FrameGuards) -> Iterator[_Candidate]:
    """Real changes, one or two for each thing that the newest entry looks at."""
    for guard in frame.entries[-1].guards:
        if guard.origin is Origin.LIBRARY or _INSIDE.search(guard.source):
            continue
        # Parameters and buffers rarely change their sizes; those that did may do so again.
        if guard.origin is Origin.PARAMETER and not _has_other_sizes(frame, guard):
            continue
        match guard.check:
            case TensorCheck():
                yield from _of_tensor(frame, guard)
            case EqualsCheck(is_literal=True, value=value) if type(value) in _VALUES:
                yield from _of_value(guard, value)
            case LengthCheck(length=length) if guard.origin is not Origin.MODULE:
                yield _of_length(guard, length)
            case IdCheck():
                yield from _of_object(guard)
    yield from _of_thread(frame)


def _same_source(frame: FrameGuards, source: str) -> Iterator[Guard]:
    """What all entries say of a source."""
    return (guard for index in frame.indexes for guard in index.of(normal(source)))


def _has_other_sizes(frame: FrameGuards, guard: Guard) -> bool:
    seen = {
        other.check.size
        for other in _same_source(frame, guard.source)
        if isinstance(other.check, TensorCheck)
    }
    return len(seen) > 1


def _of_tensor(frame: FrameGuards, guard: Guard) -> Iterator[_Candidate]:
    tensor = frame.state.value(normal(guard.source)).tensor
    check = guard.check
    if tensor is None or not isinstance(check, TensorCheck):
        return
    for dimension, fixed in enumerate(check.size):
        if fixed is None:
            yield _of_dynamic(guard, tensor, dimension)
            continue
        other = resized(tensor, dimension, _unseen(frame, guard.source, dimension))
        what = "batch" if dimension == 0 and len(check.size) > 1 else "size"
        yield _Candidate(
            of_tensor(ChangeKind.SIZE, guard.source, other),
            f"{guard.name}.size({dimension})",
            f"{guard.name}.size({dimension}) is fixed at {fixed}",
            f"any other {what}",
            guard.cause,
            _size_of(dimension),
        )
    dtype = "torch.float64" if tensor.dtype != "torch.float64" else "torch.float32"
    yield _Candidate(
        of_tensor(ChangeKind.DTYPE, guard.source, dataclasses.replace(tensor, dtype=dtype)),
        guard.name,
        f"{guard.name} is fixed in dtype ({tensor.dtype.removeprefix('torch.')}), requires_grad "
        f"({tensor.requires_grad}), device, memory layout and number of dimensions",
        "any other",
        guard.cause,
        _rest_of_tensor,
    )


def _of_dynamic(guard: Guard, tensor: Tensor, dimension: int) -> _Candidate:
    """A dynamic size: 0 and 1 are constants of their own, unless it is marked as unbacked."""
    return _Candidate(
        of_tensor(ChangeKind.SIZE, guard.source, resized(tensor, dimension, 1)),
        f"{guard.name}.size({dimension})",
        f"{guard.name}.size({dimension}) is dynamic from 2 on",
        _ONE,
        guard.cause,
        lambda _check: "",
    )


def _unseen(frame: FrameGuards, source: str, dimension: int) -> int:
    """A size that no entry has been compiled for."""
    seen = {
        guard.check.size[dimension]
        for guard in _same_source(frame, source)
        if isinstance(guard.check, TensorCheck) and dimension < len(guard.check.size)
    }
    return max((size for size in seen if size is not None), default=2) + 3


def _of_value(guard: Guard, value: object) -> Iterator[_Candidate]:
    kind, other = _VALUES[type(value)]
    kind = _BY_ORIGIN.get(guard.origin, kind)
    if "dict.keys(" in guard.source:
        return  # the dict's own row says it
    name = guard.name
    if guard.source.endswith(".training"):
        kind = ChangeKind.TRAINING
        fixed = f"`{name}` is {value}: `train()` and `eval()`"
    elif guard.origin is Origin.MODULE:
        fixed = f"`{name}` is {_NOUNS[type(value)]} attribute, fixed at {value!r}"
    elif guard.origin is Origin.GLOBAL:
        fixed = f"the global `{name}` is {_NOUNS[type(value)]}, fixed at {value!r}"
    elif guard.origin is Origin.CLOSURE:
        fixed = f"`{_closure_name(guard)}` is fixed at {value!r}"
    else:
        fixed = f"{name} is fixed at {value!r}"
    yield _Candidate(
        of_value(kind, guard.source, other(value)), name, fixed, "any other value", guard.cause
    )


def _closure_name(guard: Guard) -> str:
    """The variable's own name, where torch's hint has it."""
    note = guard.cause.note if guard.cause else ""
    _, found, rest = note.partition('guard on "')
    return rest.partition('"')[0] if found else guard.name


def _of_length(guard: Guard, length: int) -> _Candidate:
    is_varargs = guard.source.count("[") == 1 and guard.name in ("args", "rest")
    kind = ChangeKind.KEYS if "Dict" in guard.kind or "DICT" in guard.kind else ChangeKind.LENGTH
    noun = "items" if kind is ChangeKind.LENGTH else "keys"
    return _Candidate(
        of_length(ChangeKind.ARGUMENTS if is_varargs else kind, guard.source, length, length + 1),
        guard.name,
        f"the number of {noun} in {guard.name} is fixed at {length}",
        "any other number",
        guard.cause,
    )


def _of_object(guard: Guard) -> Iterator[_Candidate]:
    if guard.origin is Origin.GLOBAL and not guard.source.endswith(".__code__"):
        return  # modules, classes and the like, which nobody changes
    is_function = guard.source.endswith(".__code__")
    name = guard.name.removesuffix(".__code__")
    yield _Candidate(
        another_object(ChangeKind.FUNCTION if is_function else ChangeKind.ENUM, guard.source),
        name,
        f"{name} is one certain {'function' if is_function else 'object'}",
        "any other",
        guard.cause,
    )


def _of_thread(frame: FrameGuards) -> Iterator[_Candidate]:
    if "grad_mode" in frame.state.thread:
        change = of_thread(ChangeKind.GRAD_MODE, grad_mode=not frame.state.thread["grad_mode"])
        mode = "on" if frame.state.thread["grad_mode"] else "off"
        yield _Candidate(
            change, "state of the thread",
            f"the state of the thread is fixed (grad mode {mode}, and {_THREAD})", "another", None,
        )  # fmt: skip


def _changed_before(frame: FrameGuards, candidate: _Candidate) -> bool:
    """Whether two entries expect another value, another size or another class of it."""
    change = candidate.change
    seen = {
        candidate.aspect(guard.check)
        for guard in _same_source(frame, change.source)
        if change.source and isinstance(guard.check, TensorCheck | EqualsCheck | LengthCheck)
    }
    return len(seen) > 1


def _merged(found: Iterable[NextChange]) -> Iterator[NextChange]:
    """The same of many modules (``training``, ``p``) as one line."""
    first: dict[tuple[object, ...], NextChange] = {}
    for item in found:
        is_own = item.kind in (ChangeKind.TRAINING, ChangeKind.ATTRIBUTE)
        attribute = item.source.rpartition(".")[2] if is_own else item.source
        key = (item.kind, attribute, item.name if not is_own else "", item.becomes)
        known = first.get(key)
        first[key] = item if known is None else dataclasses.replace(known, more=known.more + 1)
    yield from first.values()
