"""Two revisions of a program in eager PyTorch, each in a process of its own.

The first keeps its weights, its inputs and the results of all operators in a file. The second takes
weights and inputs over, and compares its operators with them while it runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from inspector.capture.bench.scales import number_of
from inspector.capture.compiled import module_of, uncompiled
from inspector.capture.numerics.kept import Comparer, Keeper, shown
from inspector.capture.numerics.operators import (
    OPERATORS,
    OUTPUTS,
    RESULTS,
    Modules,
    Observer,
    Operator,
    named,
)
from inspector.capture.numerics.sides import Session, unrecorded
from inspector.capture.target.target import Target
from inspector.capture.writer import emit
from inspector.records.numerics import INITIAL, Difference, NumericError, Numerics
from inspector.shared.request import Request

_FILE = "revision.pt"


def run_revision(folder: Path, request: Request) -> None:
    """Runs the earlier revision, or the later one with weights and inputs of the earlier one.

    Raises:
        InspectorError: The target cannot be loaded, or fails.
    """
    if request.keep_outputs:
        _keep(folder, request, Path(request.keep_outputs, _FILE))
    else:
        _compare(folder, request, Path(str(request.compare_outputs), _FILE))


def _keep(folder: Path, request: Request, file: Path) -> None:
    session = Session(folder, request)
    calls, count = [], len(session.program.calls)
    for index in range(count):
        keeper = Keeper(count)
        modules, _ = _run(session, index, keeper)
        calls.append((modules, [tuple(each) for each in keeper.operators.values()]))
    session.program.state.begin_again()
    torch.save((_tensors(session.target), calls), file)


def _compare(folder: Path, request: Request, file: Path) -> None:
    tensors, calls = torch.load(file, weights_only=True, mmap=True, map_location="cpu")
    taken: list[Difference] = []
    session = Session(folder, request, lambda target: taken.extend(_take(target, tensors)))
    for index, (before, operators) in enumerate(calls[: len(session.program.calls)]):
        comparer = Comparer({each[0]: Operator(*each) for each in operators})
        after, uncompared = _run(session, index, comparer)
        emit(
            Numerics(
                input=index,
                results=tuple(_results(comparer)),
                layers=tuple(_layers(comparer, after)),
                not_finite=tuple(comparer.not_finite.values()),
                uncompared=uncompared,
                changes=tuple(comparer.changes),
                differences=tuple(dict.fromkeys(_differences(comparer, before, after, taken))),
            )
        )


def _run(
    session: Session, index: int, see: Callable[[Operator], object]
) -> tuple[Modules, tuple[str, ...]]:
    """Shows operators and results of a call; the modules that it calls, and what is not shown."""
    observer = Observer(see, module_of(session.program.plain) or nn.Module())
    with unrecorded():
        results = session.eager(index, observer)
    for name, tensor in results.tensors.items():
        see(Operator((RESULTS, name, "", 0), (tensor,)))
    for name, text in results.others.items():
        number = number_of(text)
        tensors = () if number is None else (number.float(),)
        see(Operator((RESULTS, name, "" if tensors else text, 0), tensors))
    return observer.modules, results.uncompared


def _results(comparer: Comparer) -> Iterator[NumericError]:
    for (kind, path), error in comparer.errors.items():
        if kind == RESULTS:
            yield dataclasses.replace(error, name=path)
    for side, keys in (("added", comparer.added), ("removed", comparer.left)):
        for kind, path, text, _ in keys:
            if kind == RESULTS:
                yield NumericError(path, f"{side} {text}".strip(), is_off=True)


def _layers(comparer: Comparer, modules: Modules) -> Iterator[NumericError]:
    for (kind, path), error in comparer.errors.items():
        if kind == OUTPUTS:
            class_ = error.kind or modules[path][0]
            yield dataclasses.replace(error, name=path or "the model", kind=class_)


def _differences(
    comparer: Comparer, before: Modules, after: Modules, taken: list[Difference]
) -> Iterator[Difference]:
    """What is not within a module that only one revision calls."""
    alone = [path for path in before.keys() ^ after.keys() if path]

    def is_shared(name: str) -> bool:
        return not any(name == path or name.startswith(f"{path}.") for path in alone)

    for path in {**before, **after}:
        mine, theirs = after.get(path, ()), before.get(path, ())
        if mine != theirs and is_shared(path.rpartition(".")[0]):
            sides = _settings(theirs, mine), _settings(mine, theirs)
            yield Difference("module", path or "the model", *sides)
    for side, operators in (("after", comparer.added), ("before", comparer.left)):
        for key, operator in operators.items():
            if key[0] == OPERATORS and is_shared(key[1]):
                yield Difference("operator", named(key), **{side: operator.line})
    yield from (item for item in taken if is_shared(item.name))


def _settings(own: tuple[str, ...], other: tuple[str, ...]) -> str:
    """``Dropout(p=0.1)``: a module with those of its settings that another does not have."""
    if not own:
        return ""
    name, *settings = own
    is_same_class = other[:1] == own[:1]
    return f"{name}({', '.join(it for it in settings if not (is_same_class and it in other))})"


def _tensors(target: Target) -> dict[str, Any]:
    """The parameters and buffers of a model, and its inputs, by name."""
    module = module_of(uncompiled(target.function))
    state = module.state_dict() if module is not None else {}
    given = [tensor.detach() for call in target.calls for tensor in call.tensors]
    inputs = {f"input tensor {number}": tensor for number, tensor in enumerate(given, 1)}
    return {k: item for k, item in (state | inputs).items() if isinstance(item, torch.Tensor)}


def _take(target: Target, tensors: Mapping[str, Any]) -> Iterator[Difference]:
    """Gives weights and inputs the values of the earlier revision; what cannot be, and what was."""
    own = _tensors(target)
    for name in {**tensors, **own}:
        mine, theirs = own.get(name), tensors.get(name)
        if mine is None or theirs is None or mine.shape != theirs.shape:
            kind = "input" if " " in name else "weight"
            yield Difference(kind, name, shown(theirs), shown(mine))
        elif not torch.equal(mine.cpu(), theirs.to(mine.dtype)):
            mine.copy_(theirs)
            yield Difference(INITIAL, name, shown(theirs), shown(mine))
