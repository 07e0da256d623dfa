"""Real changes of a tensor: its sizes, also those that a relation keeps in bounds, and the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from inspector.features.guards.candidates import Candidate
from inspector.features.guards.change import ChangeKind, of_tensor, resized
from inspector.features.guards.predict import FrameGuards
from inspector.features.guards.relation_candidates import relation_candidates
from inspector.records.recompiles import TensorFacts
from inspector.run.cache_entries.relation import normal
from inspector.trace.guard_checks import Check
from inspector.trace.guard_source import Origin
from inspector.trace.guard_trees import Guard

_ONE = 1


def tensor_candidates(frame: FrameGuards) -> Iterator[Candidate]:
    """Changes of the tensors that the newest entry looks at, and of what its relations bound."""
    parameters = _parameter_sizes(frame)
    own = [
        (guard, guard.check)
        for guard in frame.entries[-1].guards
        if isinstance(guard.check, TensorFacts) and _may_change(frame, guard)
    ]
    for guard, check in own:
        yield from _of_tensor(frame, guard, check, parameters)
    yield from relation_candidates(frame)
    for guard, check in own:
        yield from _of_ones(frame, guard, check)


def _may_change(frame: FrameGuards, guard: Guard) -> bool:
    """Parameters and buffers rarely change their sizes; those that did may do so again."""
    if guard.origin is not Origin.PARAMETER:
        return guard.origin is not Origin.LIBRARY
    seen = {
        other.check.size
        for other in frame.same_source(guard.source)
        if isinstance(other.check, TensorFacts)
    }
    return len(seen) > 1


def _of_tensor(
    frame: FrameGuards, guard: Guard, check: TensorFacts, parameters: set[int]
) -> Iterator[Candidate]:
    tensor = frame.state.value(normal(guard.source)).tensor
    if tensor is None:
        return
    for dimension, fixed in enumerate(check.size):
        name = f"{guard.name}.size({dimension})"
        if fixed is None:
            continue
        other = resized(tensor, dimension, _unseen(frame, guard.source, dimension))
        # A layer's width: most models fail with another one.
        is_width = dimension and fixed in parameters
        what = "another size (a parameter has it too)" if is_width else "another size"
        yield Candidate(
            of_tensor(ChangeKind.SIZE, guard.source, other), name,
            f"{name} is specialized on {fixed}", what, guard.cause, _size_of(dimension),
        )  # fmt: skip
    yield _of_metadata(guard, tensor)


def _of_ones(frame: FrameGuards, guard: Guard, check: TensorFacts) -> Iterator[Candidate]:
    """Dynamic sizes: 0 and 1 are constants of their own, unless one is marked as unbacked."""
    tensor = frame.state.value(normal(guard.source)).tensor
    for dimension, fixed in enumerate(check.size) if tensor else ():
        if fixed is None and tensor is not None:
            name = f"{guard.name}.size({dimension})"
            yield Candidate(
                of_tensor(ChangeKind.SIZE, guard.source, resized(tensor, dimension, _ONE)),
                name, f"{name} is dynamic", "0 or 1", guard.cause, is_dynamic=True,
            )  # fmt: skip


def _of_metadata(guard: Guard, tensor: TensorFacts) -> Candidate:
    dtype = "torch.float64" if tensor.dtype != "torch.float64" else "torch.float32"
    return Candidate(
        of_tensor(ChangeKind.DTYPE, guard.source, dataclasses.replace(tensor, dtype=dtype)),
        guard.name,
        f"{guard.name} is specialized on dtype {tensor.dtype.removeprefix('torch.')}, "
        f"requires_grad {tensor.requires_grad}, device, layout and number of dimensions",
        "another one",
        guard.cause,
        _rest_of_tensor,
    )


def _parameter_sizes(frame: FrameGuards) -> set[int]:
    return {
        size
        for guard in frame.entries[-1].guards
        if guard.origin is Origin.PARAMETER and isinstance(guard.check, TensorFacts)
        for size in guard.check.size
        if size is not None
    }


def _unseen(frame: FrameGuards, source: str, dimension: int) -> int:
    """A size that no entry has been compiled for."""
    seen = {
        guard.check.size[dimension]
        for guard in frame.same_source(source)
        if isinstance(guard.check, TensorFacts) and dimension < len(guard.check.size)
    }
    return max((size for size in seen if size is not None), default=2) + 3


def _size_of(dimension: int) -> Callable[[Check], str]:
    """What a guard expects of one size."""
    return lambda check: (
        str(check.size[dimension])
        if isinstance(check, TensorFacts) and dimension < len(check.size)
        else ""
    )


def _rest_of_tensor(check: Check) -> str:
    """What a guard expects of a tensor but for its sizes."""
    if not isinstance(check, TensorFacts):
        return ""
    return repr((check.type, check.dtype, check.requires_grad, check.device_index, len(check.size)))
