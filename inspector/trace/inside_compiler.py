"""Frames of a stack that ran while the compiler was at work: a fake implementation, a backend."""

import re
from collections.abc import Iterable, Sequence

from inspector.records.stack import StackFrame

# Dynamo's own frame below which everything belongs to the compilation (2.11 to 2.13).
_BEGINS = re.compile(r"(?:.*/)?torch/_dynamo/convert_frame\.py")
_TORCH = re.compile(r"(?P<root>(?:.*/)?torch)/_\w+/|^<frozen ")
# What calls an operator's implementation.
_CALLS = re.compile(r"(?:.*/)?torch/(?:_ops|_library/\w+)\.py")


def inside_compiler(
    frames: Sequence[StackFrame],
) -> tuple[tuple[StackFrame, ...], tuple[StackFrame, ...]]:
    """The frames outside torch that ran while Dynamo compiled, outermost first.

    Returns:
        All of them, and those among them that belong to an operator's implementation.
    """
    begins = [at for at, frame in enumerate(frames) if _BEGINS.fullmatch(frame.file)]
    inner = frames[begins[-1] + 1 :] if begins else frames
    # What the implementation calls is called in the same way.
    calls = (at for at, frame in enumerate(inner) if _CALLS.fullmatch(frame.file))
    first = next(calls, len(inner))
    root = next((found["root"] for frame in inner if (found := _TORCH.match(frame.file))), "")
    return tuple(_outside(inner, root)), tuple(_outside(inner[first:], root))


def _outside(frames: Iterable[StackFrame], root: str) -> Iterable[StackFrame]:
    return (frame for frame in frames if not (root and frame.file.startswith(f"{root}/")))
