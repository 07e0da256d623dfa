"""The user's line of what is launched, or allocated, outside of compiled graphs."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from inspector.features.kernels.node_lines import module_path
from inspector.records.device_profile import DeviceLaunch, LaunchPlace
from inspector.run.kernel import GraphCode, NodeLine
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


def below(line: NodeLine, module: str) -> NodeLine:
    """A line of a graph that was compiled for a module of the model: its modules are below that."""
    return dataclasses.replace(line, module=".".join(filter(None, (module, line.module))))


def lines_of_modules(
    codes: Iterable[GraphCode], launches: Iterable[DeviceLaunch] = ()
) -> Mapping[str, NodeLine]:
    """Of the modules that one line of the user's computes in compiled graphs, that line.

    Args:
        launches: Of a graph that was compiled for a part of the model, they say for which.
    """
    called: dict[str, dict[str, None]] = {}
    for launch in launches:
        called.setdefault(launch.place.file, {})[module_path(launch.place.module)] = None
    lines: dict[str, dict[tuple[str, int], NodeLine]] = {}
    for code in codes:
        nodes = [node for call in code.calls for node in call.nodes if node.file]
        for module in called.get(PurePath(code.file).stem, {"": None}):
            for node in (below(node, module) for node in nodes):
                lines.setdefault(node.module, {}).setdefault((node.file, node.line), node)
    return {
        module: next(iter(found.values()))
        for module, found in lines.items()
        if module and len(found) == 1
    }


def line_outside(place: LaunchPlace, modules: Mapping[str, NodeLine]) -> NodeLine | None:
    """The user's line of what no compiled graph launches, or the module alone.

    The gradient of a parameter is kept by autograd, for the module that the parameter belongs to.
    """
    found = user_place(place)
    if found is not None or not place.is_backward or not place.module:
        return found
    module = module_path(place.module)
    line = modules.get(module, NodeLine("", module=module))
    return dataclasses.replace(line, node=place.operator, target="")
