"""What the process of `inspect numerics` does: eager PyTorch against compiled code."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from inspector.capture.bench.errors import others_of
from inspector.capture.calls.outputs import SavedResults
from inspector.capture.failures import said
from inspector.capture.numerics.divergence import divergence_of
from inspector.capture.numerics.layers import error_of, layer_errors
from inspector.capture.numerics.sides import Session, Sides, unrecorded
from inspector.capture.quiet import quiet
from inspector.capture.writer import emit
from inspector.records.numerics import Divergence, NotFinite, NumericError, Numerics
from inspector.shared.request import Request


def compare_numbers(folder: Path, request: Request) -> None:
    """Compares all results with each input, and the outputs of the modules.

    Raises:
        InspectorError: The target cannot be loaded, or fails, compiled or not.
    """
    session = Session(folder, request)
    with unrecorded():
        sides = session.sides()
        for side in sides:
            if side.error is not None:
                with session.failing(side.index, is_eager=False):
                    raise side.error
        found = [_compared(session, side) for side in sides]
    for each in found:
        emit(each)


def _compared(session: Session, side: Sides) -> Numerics:
    request = session.request
    compile_ = functools.partial(
        torch.compile, backend=request.backend, mode=request.mode, dynamic=request.dynamic
    )
    wrong = side.wrong
    divergence = _divergence(session, side, compile_) if wrong else None
    with quiet(), session.program.context(), torch.no_grad():
        layers = [error for item in side.graphs for error in layer_errors(item, compile_)]
    assert side.compiled is not None  # noqa: S101 - an exception was raised before
    results = tuple(_results(side, side.compiled, wrong))
    not_finite = {
        item: NotFinite(item, operator=made.name, **made.place) for item, made in side.made.items()
    }
    if divergence is not None and any(item.nan for item in results):
        place = (divergence.operator, divergence.file, divergence.line, divergence.code)
        not_finite.setdefault("NaN", NotFinite("NaN", False, *place))  # noqa: FBT003 - not in eager
    return Numerics(
        input=side.index,
        results=results,
        layers=tuple(layers),
        divergence=divergence,
        in_dynamo=bool(side.wrong_in_dynamo),
        not_finite=tuple(not_finite.values()),
        uncompared=side.eager.uncompared,
    )


def _divergence(
    session: Session, side: Sides, compile_: Callable[..., Callable[..., Any]]
) -> Divergence:
    if side.other is not None:
        return Divergence(operator=side.other.name, **side.other.place)
    for number, item in enumerate(side.graphs):
        try:
            with quiet(), session.program.context(), torch.no_grad():
                found = divergence_of(item, compile_)
        except Exception as error:  # noqa: BLE001 - parts of a graph may not compile
            return Divergence(failure=said(error))
        if found is not None:
            return dataclasses.replace(found, graph=number)
    return Divergence()


def _results(side: Sides, mine: SavedResults, wrong: list[str]) -> Iterator[NumericError]:
    exact = side.exact.tensors if side.exact is not None else {}
    for name, tensor in mine.tensors.items():
        if name in side.eager.tensors:
            values = tensor, side.eager.tensors[name], exact.get(name)
            yield error_of(name, values, is_off=name in wrong)
    for name in wrong:
        if name in mine.others and name in side.eager.others:
            texts = mine.others[name], side.eager.others[name]
            yield NumericError(name, " instead of ".join(texts), is_off=True)
    for item in others_of("eager", mine, side.eager):
        yield NumericError(item.name, f"{item.mine} instead of {item.theirs}", is_off=True)
