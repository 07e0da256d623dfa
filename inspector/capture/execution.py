"""Compiles a target, and makes one call of it."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from collections.abc import Callable, Iterator

import torch

from inspector.capture import versions
from inspector.capture.call import Call, fresh
from inspector.capture.calling import Ones, backward, finished, requiring_grad
from inspector.capture.failed_call import FailedCall, failed_call
from inspector.capture.known_backends import check_backend
from inspector.capture.module_places import places_within
from inspector.capture.quiet import quiet_operators
from inspector.capture.replay import replayed
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.capture.target import Target
from inspector.capture.writer import emit
from inspector.errors import InspectorError, UsageError
from inspector.model.request import Request
from inspector.model.roots import Owner
from inspector.records.calls import TargetCall, TargetFunction

# torch passes a mode on to Inductor alone (torch/__init__.py, `compile`).
_WITH_MODES = ("inductor", "inspector")


def compiled(target: Target, request: Request) -> Callable[..., object]:
    """The target behind ``torch.compile``, or as it is where the file compiled it already.

    Raises:
        UsageError: A backend, mode or combination that torch does not know.
        EnvironmentLacksError: The backend's package is not installed.
    """
    if target.already_compiled:
        return target.function
    check_backend(request.backend)
    if request.measure and request.backend != "inductor":
        # Inductor marks its graphs itself; the code of others is FX's own.
        versions.mark_graphs()
    if request.mode is not None and request.backend not in _WITH_MODES:
        message = (
            f"The backend {request.backend!r} has no modes: torch would ignore {request.mode!r}."
        )
        raise UsageError(message, "Add --backend inductor, or leave --mode out.")
    try:
        function: Callable[..., object] = torch.compile(
            target.function,
            fullgraph=request.fullgraph,
            dynamic=request.dynamic,
            backend=request.backend,
            mode=request.mode,
        )
    except (RuntimeError, ValueError) as error:
        message = f"torch.compile refuses these settings: {error}"
        raise UsageError(message, "See the --help of the command.") from error
    return function


def write_target(target: Target, sources: SourceWriter) -> None:
    """Writes ``inspector_target``: which function the calls reach, and of what kind it is."""
    function = inspect.unwrap(_function_of(target.function))
    code = getattr(function, "__code__", None)
    if code is not None:
        sources.add(code.co_filename, code.co_firstlineno)
        _add_makers(target.function, code.co_filename, sources)
    emit(
        TargetFunction(
            name=target.name,
            file=code.co_filename if code else "",
            line=code.co_firstlineno if code else 0,
            qualname=getattr(function, "__qualname__", ""),
            kind=_kind(function),
            is_compiled=target.already_compiled,
        )
    )


def _add_makers(target: Callable[..., object], file: str, sources: SourceWriter) -> None:
    """Writes the lines that make a model's layers, where these are all that is the user's of it."""
    model = versions.original_module(target)
    if isinstance(model, torch.nn.Module) and recorded_roots().owner(file) is Owner.TORCH:
        for place in places_within(model):
            sources.add(*place)


def _kind(function: Callable[..., object]) -> str:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "generator"
    return "coroutine" if inspect.iscoroutinefunction(function) else "function"


def _function_of(target: Callable[..., object]) -> Callable[..., object]:
    target = versions.original_module(target)
    if isinstance(target, torch.nn.Module):
        forward: Callable[..., object] = type(target).forward
        return forward
    return target


@contextlib.contextmanager
def told(index: int, number: int) -> Iterator[SeenCall]:
    """Says in the trace that a call begins, and how it ends."""
    emit(TargetCall(index, number, "begin"))
    state, found = "failed", SeenCall()
    try:
        yield found
        state = "end"
    finally:
        emit(TargetCall(index, number, state, found.requires_grad))


@dataclasses.dataclass(slots=True)
class SeenCall:
    """What is seen of a call: whether its outputs require grad, where that was looked at."""

    requires_grad: bool | None = None


def error_of(  # noqa: PLR0913, PLR0917 - what a call is made with
    target: Target,
    index: int,
    request: Request,
    function: Callable[..., object],
    ones: Ones | None = None,
    seen: SeenCall | None = None,
) -> Exception | None:
    """What a call raised, or None; outside of any other exception's handling.

    `seen` gets whether its outputs require grad, without which `--train` has no meaning.
    """
    try:
        with quiet_operators():
            outputs = call_once(fresh(target.calls[index]), request, function, ones)
        if seen is not None:
            seen.requires_grad = bool(requiring_grad(outputs))
    except Exception as error:  # noqa: BLE001 - whatever the user's model raises
        return error
    return None


def call_once(
    call: Call, request: Request, function: Callable[..., object], ones: Ones | None = None
) -> object:
    """Makes one call, with its backward pass where that is asked for; gives the outputs."""
    if request.no_grad:
        with torch.no_grad():
            return finished_call(call, function)
    outputs = finished_call(call, function)
    if request.train:
        backward(outputs, ones)
    return outputs


def finished_call(call: Call, function: Callable[..., object]) -> object:
    """Makes the call alone; a coroutine or generator runs to its end."""
    return finished(function(*call.args, **call.kwargs))


def failure(failed: FailedCall, request: Request) -> InspectorError:
    """What to tell about a failed call, see `failed_call`."""
    target = failed.target
    return failed_call(
        failed,
        request,
        lambda: error_of(target, failed.index, request, target.function),
        lambda: replayed(failed.error, request, target, failed.made),
    )
