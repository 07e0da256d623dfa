"""Makes the calls that led to a failure once more, without the compiler and with a fresh model.

A model that counts its calls, or uses something up, fails in one of them and not in the next: one
more call of the same model says nothing of why. `inspect bench` sees it at once, because it calls
eager PyTorch in a process of its own, as often.
"""

from __future__ import annotations

import contextlib
import sys
import time
import traceback
from collections.abc import Iterator, Sequence

import torch
from torch._dynamo.exc import TorchDynamoException

from inspector.capture import versions
from inspector.capture.calling import error_of
from inspector.capture.quiet import quiet
from inspector.capture.roots import is_of_project
from inspector.capture.target import Target, load_target
from inspector.model.out_of_memory import lacks_memory
from inspector.model.request import Request

_MOST_SECONDS = 60.0
_COMPILERS = ("/torch/_dynamo/", "/torch/_inductor/", "/torch/_functorch/", "<eval_with_key>")
# What stands around every call of compiled code, and of what `torch.compiler.disable` keeps out of
# it (torch 2.11 to 2.13).
_AROUND = ("/torch/_dynamo/eval_frame.py", "/torch/_dynamo/external_utils.py")


def is_raised_outside(error: BaseException) -> bool:
    """Whether neither the compiler nor a compiled graph raised it, as the traceback tells.

    What was computed before it may still be the compiler's.
    """
    if isinstance(error, TorchDynamoException):
        return False
    files = [
        frame.filename.replace("\\", "/") for frame in traceback.extract_tb(error.__traceback__)
    ]
    return not any(
        part in file for file in files if not file.endswith(_AROUND) for part in _COMPILERS
    )


def replayed(
    error: Exception, request: Request, target: Target, made: Sequence[int]
) -> Exception | None:
    """What the same calls raise without the compiler; None where they do not, or nobody can say.

    The calls are numbers of inputs; the last one raised `error`, and has to raise the same type
    again. The project's modules are imported again, so that what they hold is as it was at first.
    """
    # Other processes of a job would not make these calls. Beside the first model a second one may
    # have no room, which says nothing of the first.
    said = f"{type(error).__name__}: {error}"
    if versions.job() is not None or lacks_memory(said) or not is_raised_outside(error):
        return None
    until = time.monotonic() + _MOST_SECONDS
    with quiet(), _as_never_imported(target.root), torch.compiler.set_stance("force_eager"):
        try:
            anew = load_target(request)
        except (Exception, SystemExit):  # noqa: BLE001 - not everything loads twice
            return None
        for place, index in enumerate(made, 1):
            raised = error_of(anew, index, request, anew.function)
            if raised is not None:
                is_same = place == len(made) and type(raised) is type(error)
                return raised if is_same else None
            if time.monotonic() > until:
                return None
    return None


@contextlib.contextmanager
def _as_never_imported(root: str) -> Iterator[None]:
    """Without the project's modules in ``sys.modules``; they are back afterwards."""
    mine = {
        name: module
        for name, module in list(sys.modules.items())
        if is_of_project(getattr(module, "__file__", None) or "", root)
    }
    for name in mine:
        del sys.modules[name]
    try:
        yield
    finally:
        sys.modules.update(mine)
