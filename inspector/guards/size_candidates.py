"""Real changes of a tensor: its sizes, also those that a relation keeps in bounds, and the rest."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator

from inspector.events.guard_checks import Check, RelationCheck, TensorCheck
from inspector.guards.bounds import tried
from inspector.guards.candidates import ONE_MORE, Candidate
from inspector.guards.change import Change, ChangeKind, of_tensor, of_value, resized
from inspector.guards.predict import FrameGuards, predict
from inspector.guards.relation import normal, relation_holds
from inspector.guards.state import Tensor
from inspector.model.guard_source import Origin
from inspector.model.guards import Guard

__all__ = ["tensor_candidates"]

_ONE = 1
_SIZE = re.compile(r"(?P<source>[LG]\[.*?)\.size\(\)\[(?P<dimension>\d+)\]")

_CONSTANT = re.compile(r"(?P<what>[^\s=<>]+) == (?P<value>-?\d+)")


def tensor_candidates(frame: FrameGuards) -> Iterator[Candidate]:
    """Changes of the tensors that the newest entry looks at."""
    relations = _relations(frame)
    parameters = _parameter_sizes(frame)
    own = [
        (guard, guard.check)
        for guard in frame.entries[-1].guards
        if isinstance(guard.check, TensorCheck) and _may_change(frame, guard)
    ]
    for guard, check in own:
        yield from _of_tensor(frame, guard, check, parameters)
    yield from _of_relations(frame, relations)
    for guard, check in own:
        yield from _of_ones(frame, guard, check)


def _may_change(frame: FrameGuards, guard: Guard) -> bool:
    """Parameters and buffers rarely change their sizes; those that did may do so again."""
    if guard.origin is not Origin.PARAMETER:
        return guard.origin is not Origin.LIBRARY
    seen = {
        other.check.size
        for other in frame.same_source(guard.source)
        if isinstance(other.check, TensorCheck)
    }
    return len(seen) > 1


def _of_tensor(
    frame: FrameGuards, guard: Guard, check: TensorCheck, parameters: set[int]
) -> Iterator[Candidate]:
    tensor = frame.state.value(normal(guard.source)).tensor
    if tensor is None:
        return
    for dimension, fixed in enumerate(check.size):
        name = f"{guard.name}.size({dimension})"
        if fixed is None:
            continue
        other = resized(tensor, dimension, _unseen(frame, guard.source, dimension))
        what = "batch" if dimension == 0 and len(check.size) > 1 else "size"
        # A layer's width: most models fail with another one.
        if dimension and fixed in parameters:
            what += " (a parameter has it too: another may not fit)"
        yield Candidate(
            of_tensor(ChangeKind.SIZE, guard.source, other), name, f"{name} is fixed at {fixed}",
            f"any other {what}", guard.cause, _size_of(dimension),
        )  # fmt: skip
    yield _of_metadata(guard, tensor)


def _of_ones(frame: FrameGuards, guard: Guard, check: TensorCheck) -> Iterator[Candidate]:
    """Dynamic sizes: 0 and 1 are constants of their own, unless one is marked as unbacked."""
    tensor = frame.state.value(normal(guard.source)).tensor
    for dimension, fixed in enumerate(check.size) if tensor else ():
        if fixed is None and tensor is not None:
            name = f"{guard.name}.size({dimension})"
            yield Candidate(
                of_tensor(ChangeKind.SIZE, guard.source, resized(tensor, dimension, _ONE)),
                name, f"{name} is dynamic", "a size of 1", guard.cause, _nothing,
                lead="0 and 1 are compiled as constants of their own",
            )  # fmt: skip


def _of_metadata(guard: Guard, tensor: Tensor) -> Candidate:
    dtype = "torch.float64" if tensor.dtype != "torch.float64" else "torch.float32"
    return Candidate(
        of_tensor(ChangeKind.DTYPE, guard.source, dataclasses.replace(tensor, dtype=dtype)),
        guard.name,
        f"{guard.name} is fixed in dtype ({tensor.dtype.removeprefix('torch.')}), requires_grad "
        f"({tensor.requires_grad}), device, memory layout and number of dimensions",
        "any other",
        guard.cause,
        _rest_of_tensor,
    )


def _of_relations(
    frame: FrameGuards, relations: Iterable[tuple[Guard, str]]
) -> Iterator[Candidate]:
    """Of each relation one change that it refuses, of the first thing in it that is free."""
    names = _names(frame)
    for guard, expression in relations:
        for source, dimension in _free(frame, expression):
            found = _refused(frame, expression, source, dimension)
            if found is None:
                continue
            value, change = found
            name = _spelled(source, names)
            what = name if dimension is None else f"{name}.size({dimension})"
            yield Candidate(
                change, what, _within(what, _spelled(expression, names)), f"{value}",
                guard.cause, _nothing, lead=f"{value}, for one, {ONE_MORE}",
            )  # fmt: skip
            break


def _free(frame: FrameGuards, expression: str) -> Iterator[tuple[str, int | None]]:
    """The sizes and numbers in a relation that no guard fixes."""
    for match in _SIZE.finditer(expression):
        source, dimension = normal(match["source"]), int(match["dimension"])
        tensor = frame.state.value(source).tensor
        fixed = _fixed_size(frame, source, dimension)
        if tensor is not None and fixed is None:
            yield source, dimension
    for source in frame.entries[-1].symbols:
        if ".size()" not in source and ".stride()" not in source and source in expression:
            yield normal(source), None


def _refused(
    frame: FrameGuards, expression: str, source: str, dimension: int | None
) -> tuple[int, Change] | None:
    """The nearest number that a relation refuses and no other entry takes, and the change to it.

    The size of the first call is often the nearest one, and has an entry of its own.
    """
    whole = source if dimension is None else f"{source}.size()[{dimension}]"
    now = frame.state.number(whole)
    if not isinstance(now, int):
        return None
    value = frame.state.value(source)
    for number in tried([expression], now):
        if dimension is None:
            change = of_value(ChangeKind.INT, source, number)
        elif value.tensor is not None:
            change = of_tensor(ChangeKind.SIZE, source, resized(value.tensor, dimension, number))
        else:
            return None
        is_refused = relation_holds(expression, change.applied(frame.state).number) is False
        if is_refused and predict(frame, change).served_by is None:
            return number, change
    return None


def _relations(frame: FrameGuards) -> list[tuple[Guard, str]]:
    """The relations of sizes of the newest entry, but for ``2 <= size``, which has a row."""
    return [
        (guard, guard.check.expression)
        for guard in frame.entries[-1].guards
        if isinstance(guard.check, RelationCheck)
        and ".stride()" not in guard.check.expression
        and not re.match(r"\(?2 <= [^<>=]*$", guard.check.expression)
    ]


def _parameter_sizes(frame: FrameGuards) -> set[int]:
    return {
        size
        for guard in frame.entries[-1].guards
        if guard.origin is Origin.PARAMETER and isinstance(guard.check, TensorCheck)
        for size in guard.check.size
        if size is not None
    }


def _names(frame: FrameGuards) -> dict[str, str]:
    """The user's spellings by source, the longest source first."""
    own = (guard for guard in frame.entries[-1].guards if guard.source)
    found = {normal(guard.source): guard.name for guard in own}
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def _within(what: str, relation: str) -> str:
    """How far something is dynamic: where one value alone is allowed, it is none."""
    constant = _CONSTANT.fullmatch(relation)
    if constant and constant["what"] == what:
        return f"{what} is fixed at {constant['value']}"
    return f"{what} is dynamic as long as `{relation}`"


def _spelled(expression: str, names: dict[str, str]) -> str:
    """A relation in the user's spelling."""

    def spelled(match: re.Match[str]) -> str:
        source = normal(match["source"])
        return f"{names.get(source, source)}.size({match['dimension']})"

    text = _SIZE.sub(spelled, expression)
    for source, name in names.items():
        text = text.replace(source, name)
    return text


def _fixed_size(frame: FrameGuards, source: str, dimension: int) -> int | None:
    for guard in frame.indexes[-1].of(source):
        if isinstance(guard.check, TensorCheck):
            size = guard.check.size
            return size[dimension] if dimension < len(size) else None
    return None


def _unseen(frame: FrameGuards, source: str, dimension: int) -> int:
    """A size that no entry has been compiled for."""
    seen = {
        guard.check.size[dimension]
        for guard in frame.same_source(source)
        if isinstance(guard.check, TensorCheck) and dimension < len(guard.check.size)
    }
    return max((size for size in seen if size is not None), default=2) + 3


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


def _nothing(_check: Check) -> str:
    return ""
