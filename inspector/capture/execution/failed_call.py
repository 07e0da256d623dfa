"""What to tell about a call that failed: a call without the compiler decides whose fault it is."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import torch
from torch._dynamo.exc import TorchDynamoException

from inspector.capture.calls.calling import error_of
from inspector.capture.calls.ranks import is_of_others
from inspector.capture.failures import (
    asks_for_value,
    at,
    lacks_cuda,
    said,
    user_failure,
    user_traceback,
    value_needed,
    without_dtype,
)
from inspector.capture.log.raised import uncaught_record
from inspector.capture.roots import is_of_project
from inspector.capture.target.call import Call, arguments_of
from inspector.capture.target.target import Target
from inspector.capture.writer import emit, guarded
from inspector.errors import ALSO_WITHOUT, EnvironmentLacksError, InspectorError, ModelFailedError
from inspector.shared.dtypes import find_dtype
from inspector.shared.request import Request
from inspector.shared.units import ordinal

_MOST_SHOWN = 6


@dataclasses.dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that failed.

    Attributes:
        index: Number of the input, from 0.
        number: Which of the compiled calls with this input it was, from 1: those before it did not
            fail; 0 where it was a call without the compiler, between them.
    """

    target: Target
    index: int
    error: Exception
    number: int = 1


def failed_call(failed: FailedCall, request: Request) -> InspectorError:
    """What to tell about a failed call: the target is called once more without the compiler."""
    target, error = failed.target, failed.error
    known = _known_at_once(failed, request)
    if known is not None:
        return known
    with torch.compiler.set_stance("force_eager"):
        again = error_of(target, failed.index, request, target.function)
    _forget(error, again)
    for raised in (again, error):
        if raised is not None and lacks_cuda(raised):
            mapped = request.device == "cpu"
            return user_failure(raised, f"calling `{target.name}`", target.root, maps_cuda=mapped)
    if not failed.number:
        return _only_without(failed)
    if again is not None:
        return _also_without(failed, request, again)
    # What Dynamo and the backends raise is in the trace, and becomes a finding.
    is_told = isinstance(error, TorchDynamoException)
    detail = "" if is_told else user_traceback(error, target.root)
    return ModelFailedError(_only_compiled(failed, request.gpu), "", detail=detail)


def _forget(error: Exception, again: Exception | None) -> None:
    """What failed first is no cause of what failed when it was tried again."""
    inner: BaseException | None = again
    while inner is not None:
        if inner.__context__ is error:
            inner.__context__ = None
        inner = inner.__context__


def _known_at_once(failed: FailedCall, request: Request) -> InspectorError | None:
    """What no further call is needed for to tell, or none can be made."""
    target, error = failed.target, failed.error
    if isinstance(error, InspectorError):
        return error
    # The import that failed when torch called the backend (BackendCompilerFailed): some are late.
    missing = getattr(error, "inner_exception", None)
    if isinstance(missing, ImportError):
        return lacks_package(request.backend, missing)
    if asks_for_value(error):
        return value_needed(error, f"calling `{target.name}`", target.root)
    # The others do not make one more call; and what nobody reads does not fail: an eager
    # collective's result that is thrown away is not waited for.
    return _without_others(failed) if is_of_others(error) else None


def _without_others(failed: FailedCall) -> InspectorError:
    """That a call waited in vain for other processes of the job."""
    name, error = failed.target.name, failed.error
    return ModelFailedError(
        f"{name} waited for another process of the job, which exited or never made the matching "
        f"call ({said(error)}).",
        "Check the output of that process.",
        detail=user_traceback(error, failed.target.root),
    )


def _also_without(failed: FailedCall, request: Request, error: Exception) -> ModelFailedError:
    outer = type(failed.error).__name__
    guarded(
        "record the exception",
        lambda: emit(dataclasses.replace(uncaught_record(error), outer=outer)),
    )
    detail = user_traceback(error, failed.target.root)
    which = _which(failed) or "with its inputs"
    message = f"{failed.target.name} fails when called {which}, {ALSO_WITHOUT}"
    called = _shown_inputs(failed.target.calls[failed.index])
    what = f"{said(error)}{at(error, failed.target.root)}"
    step = without_dtype(request.dtype) or (f"It was called with {called}." if called else "")
    return ModelFailedError(f"{message}: {what}.", step, detail=detail)


def _shown_inputs(call: Call) -> str:
    """``f32[2, 16]``: the tensors that a call was made with, where they are few."""
    tensors = [item for item in arguments_of(call) if item.dtype]
    dtypes = [known.name if (known := find_dtype(item.dtype)) else item.dtype for item in tensors]
    shown = [f"{dtype}{list(item.size)}" for dtype, item in zip(dtypes, tensors, strict=True)]
    return ", ".join(shown) if len(shown) <= _MOST_SHOWN else ""


def _only_without(failed: FailedCall) -> ModelFailedError:
    """That calls without the compiler fail, between others that do not."""
    target = failed.target
    several = f" with input {failed.index + 1}" if len(target.calls) > 1 else ""
    return ModelFailedError(
        f"{target.name}{several} fails without torch.compile ({said(failed.error)}), although "
        "earlier calls succeeded.",
        "Measurements so far are shown.",
        detail=user_traceback(failed.error, target.root),
    )


def _where(failed: FailedCall) -> str:
    """``at model.py:8``, with a space after it: the user's line that Dynamo was at."""
    root = Path(failed.target.root)
    for frame in reversed(getattr(failed.error, "real_stack", None) or ()):
        file = Path(frame.filename)
        if is_of_project(file, failed.target.root):
            return f"at {file.relative_to(root)}:{frame.lineno} "
    return ""


def _only_compiled(failed: FailedCall, gpu: str | None) -> str:
    """That a call failed, and that one without the compiler does not."""
    name, what = failed.target.name, f"{_where(failed)}({said(failed.error)})"
    if gpu is not None:
        what = f"when compiled for {gpu} {what}"
    if failed.number == 1:
        return f"{name} runs without torch.compile but fails with it {what}."
    return (
        f"{name} fails with torch.compile when called {_which(failed)} {what}. "
        "The same call without torch.compile succeeds."
    )


def _which(failed: FailedCall) -> str:
    """Which input, of several, and which call with it: ``with input 2 for the 3rd time``."""
    several = len(failed.target.calls) > 1
    given = f"with input {failed.index + 1}" if several else ""
    time = f"for the {ordinal(failed.number)} time" if failed.number > 1 else ""
    return " ".join(filter(None, (given, time)))


def lacks_package(backend: str, error: ImportError) -> EnvironmentLacksError:
    """That a backend's package is not installed."""
    reason = str(error).strip().rstrip(".")
    message = f"The backend {backend!r} lacks a package: {reason}."
    return EnvironmentLacksError(message, "Install it, or use --backend inductor.")
