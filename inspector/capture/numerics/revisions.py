"""Two revisions of a program in eager PyTorch, each in a process of its own.

The first keeps its weights, its inputs and the results of all operators in a file. The second takes
weights and inputs over, and compares its operators with them while it runs.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from inspector.capture.bench.scales import is_close, number_of
from inspector.capture.calls.outputs import SavedResults
from inspector.capture.compiled import module_of, uncompiled
from inspector.capture.numerics.compared import result_errors
from inspector.capture.numerics.kept import Comparer, Keeper, Value
from inspector.capture.numerics.operators import OUTPUT, Observer
from inspector.capture.numerics.sides import Session, unrecorded
from inspector.capture.target.call import Call
from inspector.capture.target.target import Target
from inspector.capture.writer import emit
from inspector.records.numerics import INITIAL, Difference, Numerics
from inspector.shared.request import Request

_FILE = "revision.pt"


def keep_revision(folder: Path, request: Request) -> None:
    """Runs the earlier revision and keeps what it gives.

    Raises:
        InspectorError: The target cannot be loaded, or fails.
    """
    session = Session(folder, request)
    calls = []
    for index in range(len(session.program.calls)):
        keeper = Keeper()
        results, modules = _run(session, index, keeper)
        values = {key: tuple(value) for key, value in keeper.values.items()}
        calls.append((dataclasses.astuple(results), modules, values))
    session.program.state.begin_again()
    kept = {
        "state": _state(session.target),
        "inputs": [_tensors(call) for call in session.target.calls],
        "calls": calls,
    }
    torch.save(kept, Path(str(request.keep_outputs)) / _FILE)


def compare_revisions(folder: Path, request: Request) -> None:
    """Runs the later revision with weights and inputs of the earlier one, and compares them.

    Raises:
        InspectorError: The target cannot be loaded, or fails.
    """
    file = Path(str(request.compare_outputs)) / _FILE
    kept = torch.load(file, weights_only=True, mmap=True, map_location="cpu")
    taken: list[Difference] = []

    def take(target: Target) -> Target:
        taken.extend(_take_weights(target, kept["state"]))
        calls = _take_inputs(target.calls, kept["inputs"], taken)
        return dataclasses.replace(target, calls=calls)

    session = Session(folder, request, take)
    for index, (results, modules, values) in enumerate(kept["calls"]):
        if index == len(session.program.calls):
            break
        comparer = Comparer({key: Value(*value) for key, value in values.items()})
        emit(_compared(session, index, comparer, (SavedResults(*results), modules), taken))


def _run(session: Session, index: int, see: Any) -> tuple[SavedResults, dict[str, str]]:
    """The results of a call, and the modules that it calls."""
    observer = Observer(see, module_of(session.program.plain) or nn.Module())
    with unrecorded():
        return session.eager(index, observer), observer.modules


def _compared(
    session: Session,
    index: int,
    comparer: Comparer,
    before: tuple[SavedResults, Mapping[str, str]],
    taken: list[Difference],
) -> Numerics:
    values = list(comparer.left.values())
    results, modules = _run(session, index, comparer)
    kept, kept_modules = before
    layers = [
        dataclasses.replace(
            error, name=path or "the model", kind=error.kind or modules[path].partition("(")[0]
        )
        for path, error in comparer.layers.items()
    ]
    missing = {*modules} ^ {*kept_modules}
    differences = [
        *(item for item in taken if not (index or _is_in(item.name, missing))),
        *_modules(kept_modules, modules),
        *_operators(comparer, missing),
    ]
    return Numerics(
        input=index,
        results=tuple(result_errors(results, kept, kept.tensors, _off(results, kept))),
        layers=tuple(layers),
        not_finite=tuple(comparer.not_finite.values()),
        uncompared=results.uncompared,
        changes=tuple(comparer.changes),
        differences=tuple(dict.fromkeys(differences)),
        sampled=sum(map(_is_sampled, values)),
    )


def _off(mine: SavedResults, kept: SavedResults) -> set[str]:
    """The results that leave the tolerance, as those of operators do."""
    off = set()
    for name, tensor in mine.tensors.items():
        theirs = kept.tensors.get(name)
        if theirs is not None and not is_close(tensor.to(theirs.dtype), theirs):
            off.add(name)
    for name, text in mine.others.items():
        theirs = kept.others.get(name, text)
        one, other = number_of(text), number_of(theirs)
        is_near = one is not None and other is not None and is_close(one.float(), other.float())
        if text != theirs and not is_near:
            off.add(name)
    return off


def _is_sampled(value: Value) -> bool:
    pairs = zip(value.results, value.shapes, strict=True)
    return any(kept.numel() < math.prod(shape) for kept, shape in pairs)


def _modules(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    """Modules with other settings, and the outermost of those that only one revision calls."""
    missing = {*before} ^ {*after}
    for path in dict.fromkeys((*before, *after)):
        sides = before.get(path, ""), after.get(path, "")
        if sides[0] != sides[1] and not _is_in(path, missing):
            yield Difference("module", path or "the model", *_other_settings(*sides))


def _other_settings(before: str, after: str) -> tuple[str, str]:
    """``Dropout(p=0.1)``: of modules of one class the settings that differ."""
    names = [text.partition("(")[0] for text in (before, after)]
    if names[0] != names[1]:
        return before, after
    parts = [text.removesuffix(")").partition("(")[2].split(", ") for text in (before, after)]
    own, other = ([item for item in parts[at] if item not in parts[1 - at]] for at in (0, 1))
    return f"{names[0]}({', '.join(own)})", f"{names[0]}({', '.join(other)})"


def _operators(comparer: Comparer, missing: Collection[str]) -> Iterator[Difference]:
    """Operators that only one revision calls, in modules that both call."""
    removed = [
        (module, name, "", value.place) for (module, name, _), value in comparer.left.items()
    ]
    added = [(item.module, item.name, place, "") for item, place in comparer.added]
    for module, name, after, before in (*added, *removed):
        if name != OUTPUT and module not in missing and not _is_in(module, missing):
            where = f"{name} in {module}" if module else name
            yield Difference("operator", where, before or "", after or "")


def _is_in(name: str, modules: Collection[str]) -> bool:
    return any(name.startswith(f"{path}.") for path in modules if path)


def _state(target: Target) -> dict[str, Any]:
    """The parameters and buffers of a model; the tensors are its own."""
    module = module_of(uncompiled(target.function))
    state = module.state_dict() if module is not None else {}
    return {name: item for name, item in state.items() if isinstance(item, torch.Tensor)}


def _take_weights(target: Target, state: Mapping[str, Any]) -> Iterator[Difference]:
    own = _state(target)
    for name in dict.fromkeys((*state, *own)):
        mine, theirs = own.get(name), state.get(name)
        if mine is None or theirs is None or mine.shape != theirs.shape:
            yield Difference("weight", name, _shown(theirs), _shown(mine))
        elif not torch.equal(mine.cpu(), theirs.to(mine.dtype)):
            mine.copy_(theirs)
            yield Difference(INITIAL, name, _shown(theirs), _shown(mine))


def _take_inputs(
    calls: Sequence[Call], inputs: Sequence[Sequence[Any]], taken: list[Difference]
) -> tuple[Call, ...]:
    found = []
    for number, (call, theirs) in enumerate(itertools.zip_longest(calls, inputs), 1):
        own, name = _tensors(call), f"input {number}"
        before, after = (", ".join(map(_shown, each or ())) for each in (theirs, own))
        is_same = before == after and all(map(torch.equal, own, theirs))
        if not is_same:
            taken.append(Difference(INITIAL if before == after else "input", name, before, after))
        if call is not None:
            found.append(call if is_same or before != after else _with_tensors(call, theirs))
    return tuple(found)


def _tensors(call: Call | None) -> list[Any]:
    found: list[Any] = []
    if call is not None:
        call.mapped(lambda tensor: found.append(tensor.detach().cpu()))
    return found


def _with_tensors(call: Call, tensors: Sequence[Any]) -> Call:
    left = iter(tensors)
    return call.mapped(lambda item: next(left).to(item).requires_grad_(item.requires_grad))


def _shown(tensor: Any) -> str:
    """``float32[2, 3]``; empty where there is none."""
    if tensor is None:
        return ""
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"
