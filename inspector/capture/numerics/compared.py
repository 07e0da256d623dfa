"""What the process of `inspect numerics` does: eager PyTorch against compiled code."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from inspector.capture.bench.captured import where
from inspector.capture.bench.divergence import divergence_of
from inspector.capture.bench.errors import others_of
from inspector.capture.bench.failing import failing
from inspector.capture.failures import said
from inspector.capture.numerics.layers import error_of, layer_errors
from inspector.capture.numerics.not_finite import first_not_finite
from inspector.capture.numerics.sides import Session, Sides, unrecorded
from inspector.capture.quiet import quiet
from inspector.capture.writer import emit
from inspector.records.bench import Divergence
from inspector.records.numerics import NotFinite, NumericError, Numerics
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
                program = session.program
                with failing(
                    session.target, program.shown(side.index), "", is_eager=False, request=request
                ):
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
        eager = [found for item in side.graphs for found in first_not_finite(item)]
    results = tuple(_results(side, wrong))
    only_compiled = [item for item in results if item.nan]
    if only_compiled and divergence is not None:
        place = (divergence.operator, divergence.file, divergence.line, divergence.code)
        eager.append(NotFinite("NaN", False, *place))  # noqa: FBT003 - not in eager
    return Numerics(
        input=side.index,
        results=results,
        layers=tuple(layers),
        divergence=divergence,
        in_dynamo=bool(side.wrong_in_dynamo),
        not_finite=tuple({item.value: item for item in reversed(eager)}.values()),
        uncompared=side.eager.uncompared,
    )


def _divergence(
    session: Session, side: Sides, compile_: Callable[..., Callable[..., Any]]
) -> Divergence:
    if side.other is not None:
        return Divergence(operator=side.other.name, **where(side.other.place))
    for number, item in enumerate(side.graphs):
        try:
            with quiet(), session.program.context(), torch.no_grad():
                found = divergence_of(item, compile_)
        except Exception as error:  # noqa: BLE001 - parts of a graph may not compile
            return Divergence(failure=said(error))
        if found is not None:
            return dataclasses.replace(found, graph=number)
    return Divergence()


def _results(side: Sides, wrong: list[str]) -> Iterator[NumericError]:
    assert side.compiled is not None  # noqa: S101 - an exception was raised before
    exact = side.exact.tensors if side.exact is not None else {}
    for name, mine in side.compiled.tensors.items():
        eager = side.eager.tensors.get(name)
        if eager is not None:
            yield error_of(name, (mine, eager, exact.get(name)), is_off=name in wrong)
    for item in others_of("eager", side.compiled, side.eager):
        yield NumericError(item.name, f"{item.mine} instead of {item.theirs}", is_off=True)
