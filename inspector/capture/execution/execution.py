"""Compiles a target, and says what it is and when it is called."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch._dynamo import list_backends, lookup_backend

from inspector.capture import versions
from inspector.capture.calls.calling import SeenCall
from inspector.capture.compiled import uncompiled
from inspector.capture.execution.failed_call import lacks_package
from inspector.capture.graphs.module_places import files_within
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.capture.target.target import Target
from inspector.capture.writer import emit
from inspector.errors import UsageError
from inspector.records.calls import TargetCall, TargetFunction
from inspector.shared.near_matches import near_matches
from inspector.shared.request import Request
from inspector.shared.roots import Owner

# torch passes a mode on to Inductor alone (torch/__init__.py, `compile`).
_WITH_MODES = ("inductor", "inspector")


def compiled(target: Target, request: Request) -> Callable[..., object]:
    """The target compiled by ``torch.compile``, or as it is where the file compiled it already.

    Raises:
        UsageError: A backend, mode or combination that torch does not know.
        EnvironmentLacksError: The backend's package is not installed.
    """
    if target.already_compiled:
        return target.function
    check_backend(request.backend)
    if request.measure and request.backend != "inductor":
        # Inductor marks its graphs itself; the code of others is FX's own.
        versions.marked_graphs().__enter__()  # for as long as the process lives
    if request.mode is not None and request.backend not in _WITH_MODES:
        message = f"The backend {request.backend!r} has no modes and would ignore {request.mode!r}."
        raise UsageError(message, "Add --backend inductor, or drop --mode.")
    how = {name: getattr(request, name) for name in ("backend", "mode", "dynamic", "fullgraph")}
    return torch_compiled(target.function, how, "Run the command with --help.")


def torch_compiled(
    function: Callable[..., Any], how: Mapping[str, Any], next_step: str
) -> Callable[..., Any]:
    """A function compiled with these arguments, which torch may refuse."""
    try:
        compiled: Callable[..., Any] = torch.compile(function, **how)
    except (RuntimeError, ValueError) as error:
        message = f"torch.compile rejects these settings: {error}"
        raise UsageError(message, next_step) from error
    return compiled


def write_target(target: Target, sources: SourceWriter) -> None:
    """Writes ``inspector_target``: which function the calls reach, and of what kind it is."""
    model = uncompiled(target.function)
    is_module = isinstance(model, torch.nn.Module)
    function = inspect.unwrap(type(model).forward if is_module else model)
    code = getattr(function, "__code__", None)
    if code is not None:
        sources.add(code.co_filename)
        if is_module and recorded_roots().owner(code.co_filename) is Owner.TORCH:
            # The lines that make its layers are all that is the user's of it.
            for file in files_within(model):
                sources.add(file)
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


def _kind(function: Callable[..., object]) -> str:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "generator"
    return "coroutine" if inspect.iscoroutinefunction(function) else "function"


@contextlib.contextmanager
def recorded_call(index: int, number: int) -> Iterator[SeenCall]:
    """Says in the trace that a call begins, and how it ends."""
    emit(TargetCall(index, number, "begin"))
    state, found = "failed", SeenCall()
    try:
        yield found
        state = "end"
    finally:
        emit(TargetCall(index, number, state, found.requires_grad))


_OURS = "inspector"  # it is registered in the processes that we start, and is no setting
_FOR_TESTS = "_TESTING_ONLY"  # torch's own tests (torch/_dynamo/backends/debugging.py)


def offered_backends(known: Iterable[str]) -> tuple[str, ...]:
    """The backends that are somebody's choice, in their order."""
    return tuple(name for name in known if name != _OURS and not name.endswith(_FOR_TESTS))


def check_backend(name: str) -> None:
    """Raises where torch knows no backend of this name, or its package is not installed."""
    known = list_backends(exclude_tags=())
    if name not in known:
        offered = offered_backends(known)
        raise UsageError(
            f"torch has no backend {name!r}.",
            _meant(near_matches(name, offered)) or f"Choose one of {', '.join(offered)}.",
        )
    try:
        lookup_backend(name)
    except ImportError as error:
        raise lacks_package(name, error) from error


def check_spelling(names: Iterable[str]) -> None:
    """Looks for names that are like those of torch's, and are none.

    What is like none can be a backend that this environment lacks, and others have.

    Raises:
        UsageError: There is such a name.
    """
    known = list_backends(exclude_tags=())
    for name in names:
        if name in known:
            continue
        near = near_matches(name, offered_backends(known))
        if near:
            raise UsageError(f"torch has no backend {name!r}.", _meant(near))


def _meant(near: Iterable[str]) -> str:
    return f"Did you mean {' or '.join(near)}?" if near else ""
