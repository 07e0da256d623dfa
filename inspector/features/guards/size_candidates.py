"""Real changes of a tensor: its sizes, also those that a relation keeps in bounds, and the rest."""

import dataclasses
import functools
from collections.abc import Iterator

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
    checks = [
        (guard, guard.check)
        for guard in frame.entries[-1].guards
        if isinstance(guard.check, TensorFacts)
    ]
    widths = {
        size
        for guard, check in checks
        for size in check.size
        if guard.origin is Origin.PARAMETER and size is not None
    }
    own = [
        (guard, check, tensor)
        for guard, check in checks
        # Parameters and buffers rarely change their sizes; those that did may do so again.
        if guard.origin is not Origin.LIBRARY
        and (guard.origin is not Origin.PARAMETER or len(_seen(frame, guard.source)) > 1)
        and (tensor := frame.state.value(normal(guard.source)).tensor) is not None
    ]
    for guard, check, tensor in own:
        yield from _of_tensor(frame, guard, check, tensor, widths)
    yield from relation_candidates(frame)
    for guard, check, tensor in own:
        for dimension, fixed in enumerate(check.size):
            if fixed is None:
                # 0 and 1 are constants of their own, unless one is marked as unbacked.
                name = f"{guard.name}.size({dimension})"
                other = resized(tensor, dimension, _ONE)
                yield Candidate(
                    of_tensor(ChangeKind.SIZE, guard.source, other), name, f"{name} is dynamic",
                    "0 or 1", guard.cause, is_dynamic=True,
                )  # fmt: skip


def _seen(frame: FrameGuards, source: str) -> set[tuple[int | None, ...]]:
    checks = (guard.check for guard in frame.same_source(source))
    return {check.size for check in checks if isinstance(check, TensorFacts)}


def _of_tensor(
    frame: FrameGuards, guard: Guard, check: TensorFacts, tensor: TensorFacts, widths: set[int]
) -> Iterator[Candidate]:
    """Its sizes, each to one that no entry has been compiled for, and its metadata."""
    seen = _seen(frame, guard.source)
    for dimension, fixed in enumerate(check.size):
        if fixed is None:
            continue
        name = f"{guard.name}.size({dimension})"
        known = (sizes[dimension] for sizes in seen if dimension < len(sizes))
        unseen = max((size for size in known if size is not None), default=2) + 3
        # A layer's width: most models fail with another one.
        is_width = dimension and fixed in widths
        what = "another size (a parameter also has this size)" if is_width else "another size"
        yield Candidate(
            of_tensor(ChangeKind.SIZE, guard.source, resized(tensor, dimension, unseen)), name,
            f"{name} is specialized on {fixed}", what, guard.cause,
            functools.partial(_size, dimension),
        )  # fmt: skip
    dtype = "torch.float64" if tensor.dtype != "torch.float64" else "torch.float32"
    yield Candidate(
        of_tensor(ChangeKind.DTYPE, guard.source, dataclasses.replace(tensor, dtype=dtype)),
        guard.name,
        f"{guard.name} is specialized on dtype {tensor.dtype.removeprefix('torch.')}, "
        f"requires_grad {tensor.requires_grad}, device, layout and number of dimensions",
        "any change",
        guard.cause,
        _rest_of_tensor,
    )


def _size(dimension: int, check: Check) -> str:
    if isinstance(check, TensorFacts) and dimension < len(check.size):
        return str(check.size[dimension])
    return ""


def _rest_of_tensor(check: Check) -> str:
    """What a guard expects of a tensor but for its sizes."""
    if not isinstance(check, TensorFacts):
        return ""
    return repr((check.type, check.dtype, check.requires_grad, check.device_index, len(check.size)))
