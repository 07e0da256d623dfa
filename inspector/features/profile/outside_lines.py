"""The user's line of what is launched, or allocated, outside of compiled graphs."""

import re

from inspector.features.kernels.node_lines import module_path
from inspector.records.device_profile import LaunchPlace
from inspector.run.kernel import NodeLine
from inspector.shared.stack import StackFrame

_FRAME = re.compile(r"(?P<file>.+)\((?P<line>\d+)\): (?P<name>.+)$")
_RESUMED = re.compile(r"torch_dynamo_resume_in_(?P<name>.+)_at_(?P<line>\d+)$")


def user_place(place: LaunchPlace) -> NodeLine | None:
    """The innermost of the user's lines around a launch."""
    for frame in reversed(place.frames):
        match = _FRAME.match(frame)
        if match is not None:
            resumed = _RESUMED.match(match["name"])
            line = int(match["line"] or (resumed["line"] if resumed else 0))
            module = module_path(place.module)
            of_frame = StackFrame(match["file"], line, match["name"])
            return NodeLine(place.operator, module=module).at(of_frame)
    return None
