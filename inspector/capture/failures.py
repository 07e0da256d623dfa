"""What the user's code raised, as the user would have seen it without us."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import torch

from inspector.capture.frames import causes
from inspector.capture.gpu_target.accelerator import cuda_is_here
from inspector.capture.gpu_target.weights import ASKS_FOR_VALUES, makes_fakes
from inspector.errors import (
    TRACEBACK_BELOW,
    EnvironmentLacksError,
    InspectorError,
    ModelFailedError,
)

_OURS = str(Path(__file__).resolve().parents[1])
_TORCH = str(Path(torch.__file__).parent) + "/"
# Frames of the machinery that loads a module, of torch's function modes (which we may have put on)
# and of what started this process.
_MACHINERY = re.compile(
    r"^<frozen (?:importlib|runpy)|/importlib/__init__\.py$|/torch/overrides\.py$"
)
# The ways in which torch 2.11 to 2.13, its CPU and its CUDA builds, say that there is no CUDA.
_NO_CUDA = re.compile(
    r"not compiled with CUDA|No CUDA GPUs are available|Found no NVIDIA driver"
    r"|CUDA driver version is insufficient|no CUDA-capable device|without ATen_cuda"
    r"|Cannot access accelerator device when none|not linked with support for cuda"
    r"|object on a CUDA device|requires CUDA support|dummy base class|'_cuda_\w+'"
    r"|torch\.cuda\.\w+ not available|[Nn]o CUDA runtime|CUDA is not available"
    r"|arguments from the 'CUDA' backend"
    # And how the authors of models say it.
    r"|(?i:\b(?:needs?|requires?)(?: an?)?(?: nvidia)? (?:gpu|cuda)\b)"
    r"|(?i:\b(?:gpu|cuda)(?: is)? (?:required|needed|unavailable|not (?:available|found))\b)"
)
# Conversions of tensors without memory to what is none (torch 2.11 to 2.13).
_NO_VALUE = re.compile(
    r"numpy\(\) is not supported for tensor subclasses|[Dd]ata pointer|doesn't have storage"
    r"|Unsupported(?:FakeTensor|Operator)Exception"
)
_LONG = 300
# What torch's dispatcher adds: a list of 60 backends.
_DISPATCH = re.compile(
    r" This could be because the operator doesn't exist for this backend.*?(?=\n\n[A-Z]\w+ |\Z)",
    re.DOTALL,
)
_MAP = "Pass `--device cpu`, or run it on a GPU machine."
_NOT_MAPPED = "Edit that line (`--device cpu` does not change it), or run it on a GPU machine."


def user_traceback(error: BaseException, root: str = "") -> str:
    """The traceback without our frames, torch's, and Python's import system; relative to `root`."""
    whole = traceback.TracebackException.from_exception(error)
    for part in _parts(whole):
        part.stack = traceback.StackSummary.from_list(
            [frame for frame in part.stack if not is_foreign(frame.filename)]
        )
    text = _DISPATCH.sub("", "".join(whole.format()).rstrip())
    return text.replace(f'File "{root.rstrip("/")}/', 'File "') if root else text


def user_failure(
    error: BaseException, doing: str, root: str = "", *, maps_cuda: bool = False
) -> InspectorError:
    """The error that tells a person what their code raised.

    `doing` names what failed (``loading `model.py```); with `maps_cuda` CUDA requests were mapped.
    """
    detail = user_traceback(error, root)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        name = error.filename.removeprefix(f"{root.rstrip('/')}/")
        detail = "".join(traceback.format_exception_only(error)).rstrip()
        return ModelFailedError(
            f"{name}:{error.lineno}: {error.msg} ({type(error).__name__}).",
            "Fix the file and try again.",
            detail=detail.replace(f'File "{root.rstrip("/")}/', 'File "'),
        )
    if asks_for_value(error):
        return value_needed(error, doing, root)
    if lacks_cuda(error):
        asking = at(error, root).removeprefix(" at ") or _capital(doing)
        return EnvironmentLacksError(
            f"{asking} needs CUDA, which this machine does not have.",
            _NOT_MAPPED if maps_cuda else _MAP,
            detail=detail,
        )
    hint = TRACEBACK_BELOW if error.__traceback__ is not None else ""
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        hint = f"Install `{package}`, or use `--python` to select an interpreter that has it."
    return ModelFailedError(f"{_capital(doing)} failed: {said(error)}.", hint, detail=detail)


def asks_for_value(error: BaseException) -> bool:
    """Whether `error`, or what caused it, is that a tensor without memory has no value."""
    if not makes_fakes():
        return False
    return any(
        isinstance(each, ASKS_FOR_VALUES) or _NO_VALUE.search(str(each)) for each in causes(error)
    )


def value_needed(error: BaseException, doing: str, root: str = "") -> InspectorError:
    """The error that tells a person where ``--fake`` ends: `doing` asks for a value."""
    return ModelFailedError(
        f"{_capital(doing)} needs the value of a tensor{at(error, root)}, but with --fake, large "
        "tensors have no values. Compilations so far are shown.",
        "Drop --fake, or make that tensor small (up to 100,000 elements).",
        detail=user_traceback(error, root),
    )


def without_dtype(dtype: str | None) -> str:
    """What to try where a call fails that is none of the program's own; empty without a dtype."""
    if not dtype:
        return ""
    return f"Drop --dtype {dtype}; it converts all parameters and inputs to one dtype."


def lacks_cuda(error: BaseException) -> bool:
    """Whether `error`, or what caused it, says that CUDA was asked for where there is none."""
    if cuda_is_here():
        return False
    return any(
        isinstance(each, Exception) and (_NO_CUDA.search(str(each)) or _asserts_cuda(each))
        for each in causes(error)
    )


def _asserts_cuda(error: BaseException) -> bool:
    """Whether it is an ``assert torch.cuda.is_available()``."""
    if not isinstance(error, AssertionError):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return any("cuda.is_available" in (frame.line or "") for frame in last)


def _parts(whole: traceback.TracebackException) -> list[traceback.TracebackException]:
    parts = [whole]
    for part in parts:
        linked = [part.__cause__, part.__context__, *(part.exceptions or ())]
        parts.extend(other for other in linked if other is not None and other not in parts)
    return parts


def is_foreign(file: str) -> bool:
    """Whether a file is torch's, ours, or of the machinery that loads modules."""
    return _is_machinery(file) or file.startswith(_TORCH)


def _is_machinery(file: str) -> bool:
    return file.startswith(f"{_OURS}/") or bool(_MACHINERY.search(file.replace("\\", "/")))


def at(error: BaseException, root: str) -> str:
    """Where the user's own project raised it: `` at model.py:12``, or nothing."""
    inside = f"{root.rstrip('/')}/"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if root and frame.filename.startswith(inside) and not _is_machinery(frame.filename):
            shown = frame.filename.removeprefix(inside)
            if "site-packages/" not in shown:
                return f" at {shown}:{frame.lineno}"
    return ""


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def said(error: BaseException) -> str:
    """The type and the first line: ``ValueError: no such mode``.

    A line that announces the next has that after it.
    """
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    text = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1]).rstrip(".:")
    text = text if len(text) <= _LONG else f"{text[:_LONG]}…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
