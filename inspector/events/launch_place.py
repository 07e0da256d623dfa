"""Where something that was launched, or allocated, comes from, in our artifacts of a profile."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.events.fields import items, natural

KEEPS_GRADIENT = "torch::autograd::AccumulateGrad"
"""What autograd keeps a parameter's gradient by, or adds it up: its own, and no operator."""


@dataclasses.dataclass(frozen=True, slots=True)
class CodePlace:
    """Where in the code something is launched, and what it is a part of.

    Attributes:
        file: Stem of the file of generated code, or an empty string.
        line: Line of the statement in it, or 0.
        region: The compile id of the compiled region that it is in, or an empty string.
        graph: The key of Inductor's graph, or an empty string.
        operator: The outermost operator of ATen there, or an empty string.
        frames: The user's lines around it as ``file(line): function``, innermost last, where they
            were marked.
        module: What Dynamo calls the module of the innermost of them (``L['self'].layers.0``) where
            a graph runs as Python, or an empty string.
        is_backward: Whether autograd's engine runs it.
        is_loss: Whether it is part of the sum that ``--train`` adds up.
    """

    file: str = ""
    line: int = 0
    region: str = ""
    graph: str = ""
    operator: str = ""
    frames: tuple[str, ...] = ()
    module: str = ""
    is_backward: bool = False
    is_loss: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class LaunchPlace(CodePlace):
    """Where a launch comes from, as the payload has it.

    Attributes:
        run: Number of the run of the statement, which may run several times in a call; or 0.
    """

    run: int = 0


def launch_place(fields: Mapping[str, object]) -> LaunchPlace:
    """Reads a place."""
    return LaunchPlace(
        file=str(fields.get("file") or ""),
        line=natural(fields.get("line")) or 0,
        region=str(fields.get("region") or ""),
        graph=str(fields.get("graph") or ""),
        operator=str(fields.get("operator") or ""),
        frames=tuple(map(str, items(fields.get("frames")))),
        module=str(fields.get("module") or ""),
        is_backward=bool(fields.get("is_backward")),
        is_loss=bool(fields.get("is_loss")),
        run=natural(fields.get("run")) or 0,
    )
