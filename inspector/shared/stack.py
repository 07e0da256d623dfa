"""Places in the user's source."""

import re
from collections.abc import Sequence

from inspector.records.stack import StackFrame as StackFrame  # noqa: PLC0414 - the model's, too
from inspector.shared.roots import Owner, Roots

_RESUMED = re.compile(r"torch_dynamo_resume_in_(?P<name>.+)_at_(?P<line>\d+)(?:_\d+)?")
_MAKING = re.compile(r"(?P<name>.+?) \(makes (?P<class>.+)\)")


def plain_name(name: str) -> str:
    """The user's function behind the name of a resume function, and behind a `making_name`."""
    making = _MAKING.fullmatch(name)
    function = making["name"] if making else name
    match = _RESUMED.fullmatch(function)
    return match["name"] if match else function


def shown_name(name: str) -> str:
    """``forward``, or ``forward resumed at line 12`` for what Dynamo made behind a graph break."""
    match = _RESUMED.fullmatch(name)
    return f"{match['name']} resumed at line {match['line']}" if match else name


def resumed_line(name: str) -> int | None:
    """The line behind which a function that Dynamo made goes on; None for the user's own."""
    match = _RESUMED.fullmatch(name)
    return int(match["line"]) if match else None


def is_resumed(name: str) -> bool:
    """Whether a code object is what Dynamo made to go on behind a graph break."""
    return _RESUMED.fullmatch(name) is not None


def is_graph_code(file: str) -> bool:
    """Whether a file's name is that of a graph which runs as Python (torch/fx/graph_module.py)."""
    return file.startswith("<eval_with_key>")


def making_name(function: str, module_class: str) -> str:
    """What a frame is called that nothing of a call runs in: its line makes a layer."""
    return f"{function} (makes {module_class})"


def made_class(name: str) -> str:
    """The class of the layer that a frame's line makes, by the frame's name; "" elsewhere."""
    match = _MAKING.fullmatch(name)
    return match["class"] if match else ""


def user_frame(stack: Sequence[StackFrame], roots: Roots) -> StackFrame | None:
    """The innermost frame outside torch and the standard library, in a file where there is one.

    Nobody edits generated code (``<string>``, the methods of a dataclass): its caller comes first.
    """
    frames = [frame for frame in reversed(stack) if roots.is_user(frame.file)]
    in_file = (frame for frame in frames if roots.owner(frame.file) is not Owner.GENERATED)
    return next(in_file, frames[0] if frames else None)


def below_recorder(stack: Sequence[StackFrame], roots: Roots) -> tuple[StackFrame, ...]:
    """The stack without the recorder's frames and without what called the recorder."""
    own = [n for n, frame in enumerate(stack) if roots.owner(frame.file) is Owner.RECORDER]
    return tuple(stack[own[-1] + 1 :] if own else stack)


def project_frame(stack: Sequence[StackFrame], roots: Roots) -> StackFrame | None:
    """The innermost frame of the user's own project."""
    return next((f for f in reversed(stack) if roots.owner(f.file) is Owner.PROJECT), None)
