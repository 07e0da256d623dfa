"""What a timed call raises, as a sentence."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from torch._dynamo.exc import TorchDynamoException

from inspector.capture.execution.failed_call import lacks_package
from inspector.capture.failures import lacks_cuda, said, user_failure, user_traceback, without_dtype
from inspector.capture.target.target import Target
from inspector.errors import InspectorError, ModelFailedError
from inspector.shared.out_of_memory import lacks_memory
from inspector.shared.request import Request
from inspector.shared.typed_options import typed_options

# As Dynamo spells a place of the user's code in what it raises.
_USER_PLACE = re.compile(r'File "([^"]+)", line (\d+)')


@contextlib.contextmanager
def failing(
    target: Target, given: str, next_step: str, *, is_eager: bool, request: Request
) -> Iterator[None]:
    """What a call raises becomes a sentence with the user's own traceback.

    Args:
        given: What it is called with, where that is one of several inputs (``f32[1, 64]``).
        next_step: What to do about that input, should it fail without the compiler.

    Raises:
        InspectorError: The call failed.
    """
    which = f" with {given}" if given else ""
    try:
        yield
    except InspectorError:
        raise
    except SystemExit as error:
        code = "" if error.code is None else repr(error.code)
        message = f"{target.name} ended the program with sys.exit({code})."
        raise ModelFailedError(message, "Return instead of exiting.") from error
    except Exception as error:
        if lacks_cuda(error):
            raise user_failure(error, f"calling `{target.name}`", target.root) from error
        if is_eager:
            raise _eager_failure(error, target, which, next_step, request) from error
        raise _compiled_failure(error, target, which, request) from error


def _eager_failure(
    error: Exception, target: Target, which: str, next_step: str, request: Request
) -> InspectorError:
    message = f"{target.name} fails when called{which} without torch.compile ({said(error)})."
    step = "" if lacks_memory(message) else next_step or without_dtype(request.dtype)
    if "does not require grad" in str(error):
        step = "Add --grad; calls run under torch.no_grad() by default."
    return ModelFailedError(message, step, detail=user_traceback(error, target.root))


def _compiled_failure(
    error: Exception, target: Target, which: str, request: Request
) -> InspectorError:
    inner = getattr(error, "inner_exception", None) or error  # of BackendCompilerFailed
    if isinstance(inner, ImportError):
        return lacks_package(request.backend, inner)
    place = _USER_PLACE.findall(str(error))
    at = ""
    if place:
        path = Path(place[-1][0])
        is_own = path.is_relative_to(target.root)
        at = f", {path.relative_to(target.root) if is_own else path}:{place[-1][1]}"
    message = f"It fails{which} when compiled ({said(inner)}{at})."
    words = ("inspect", "explain", target.name, *typed_options(request.asked, "explain"))
    step = f"Run: {shlex.join(words)}"
    # What Dynamo and the backends raise has no more of the user's code than that.
    is_torchs = isinstance(error, TorchDynamoException)
    detail = "" if is_torchs else user_traceback(error, target.root)
    return ModelFailedError(message, step, detail=detail)
