"""Every difference between the Python APIs of the torch versions that are supported.

torch 2.11 to 2.13. What is looked for here is internal to torch: whatever is missing is None, and
what depends on it is left out of the recording.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FrameType

__all__ = [
    "SKIP_LOGGER",
    "SKIP_MESSAGE",
    "SOFT_FAILURES",
    "frame_of_conversion",
    "original_module",
    "user_stack_of_graph_break",
]

# torch/_dynamo/convert_frame.py says here, at level DEBUG, that it leaves a frame alone (the same
# message in 2.11 and 2.13), and at level INFO that an exception made it do so.
SKIP_LOGGER = "torch._dynamo.convert_frame"
SKIP_MESSAGE = "skipping: %s (reason: %s, file: %s)"
SOFT_FAILURES = ("Unsupported", "UserError")

_MOST_FRAMES = 12


def _callers() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the documented way to the callers
    while frame is not None:
        yield frame
        frame = frame.f_back


def user_stack_of_graph_break() -> list[traceback.FrameSummary] | None:
    """The user's stack that ``log_graph_break`` is printing, with its exact positions.

    ``user_stack`` is a local variable of ``InstructionTranslatorBase.log_graph_break``
    (torch/_dynamo/symbolic_convert.py, 2.11 to 2.13).
    """
    for frame in _callers():
        if frame.f_code.co_name == "log_graph_break":
            stack = frame.f_locals.get("user_stack")
            return list(stack) if stack is not None else None
    return None


def frame_of_conversion() -> tuple[CodeType, FrameType] | None:
    """The code object that Dynamo is deciding about, and the Python frame that calls it.

    ``frame`` is a parameter of ``CatchErrorsWrapper.__call__`` and ``ConvertFrame.__call__``
    (torch/_dynamo/convert_frame.py); the first Python frame below them is the caller.
    """
    code: CodeType | None = None
    for depth, frame in enumerate(_callers()):
        if frame.f_code.co_filename.endswith("convert_frame.py"):
            converted = frame.f_locals.get("frame")
            code = getattr(converted, "f_code", code)
        elif code is not None:
            return code, frame
        elif depth > _MOST_FRAMES:
            return None
    return None


def original_module(target: Callable[..., object]) -> Callable[..., object]:
    """The module that ``torch.compile`` wrapped, or the target itself."""
    from torch._dynamo.eval_frame import OptimizedModule

    if isinstance(target, OptimizedModule):
        original: Callable[..., object] = target._orig_mod  # noqa: SLF001 - torch's own name for it
        return original
    return target
