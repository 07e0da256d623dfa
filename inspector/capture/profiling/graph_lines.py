"""The user's lines of graphs that run as Python: those of backends that generate no code.

``backend="eager"`` and ``"aot_eager"`` call the graph's own ``forward``, which torch.fx makes of
its nodes in a file that does not exist (``<eval_with_key>.7``); each node knows where it is from.
"""

from __future__ import annotations

import linecache
from types import CodeType, FrameType
from typing import NamedTuple

from torch import fx

from inspector.capture.graphs.module_places import module_stack, stack_of
from inspector.capture.roots import recorded_roots
from inspector.shared.stack import user_frame
from inspector.trace.printed_stack import printed_frames


class GraphLine(NamedTuple):
    """Where a statement of a graph comes from.

    Attributes:
        place: ``file(line): function``.
        module: What Dynamo calls the module that it is in (``L['self'].layers.0``), or empty.
    """

    place: str
    module: str


class GraphLines:
    """Finds them, each once."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int], GraphLine | None] = {}

    def of(self, frame: FrameType) -> GraphLine | None:
        """Where the statement comes from that a frame of graph code is at, or None."""
        key = frame.f_code, frame.f_lineno
        if key not in self._known:
            node = _node_at(frame)
            self._known[key] = _line_of(node) if node is not None else None
        return self._known[key]


def _node_at(frame: FrameType) -> fx.Node | None:
    """The node whose statement a frame is at, by torch's map of lines to numbers of nodes.

    The map is of the graph as it was when its code was made. A graph that was changed since has
    other nodes at these numbers; the statement names the right one.
    """
    module = frame.f_locals.get("self")
    if not isinstance(module, fx.GraphModule):
        return None
    numbers = getattr(module, "_lineno_map", None) or {}
    number = numbers.get(frame.f_lineno - getattr(module, "_prologue_start", 0))
    nodes = list(module.graph.nodes)
    if number is None or number >= len(nodes):
        return None
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    node: fx.Node = nodes[number]
    assigned = text.partition("=")[0].partition(":")[0].strip()  # `name : annotation = …`
    return node if assigned == node.name else None


def _line_of(node: fx.Node) -> GraphLine | None:
    frames = printed_frames(stack_of(node))
    frame = user_frame(frames, recorded_roots())
    if frame is None:
        return None
    modules = [str(name) for name, _ in module_stack(node).values()]
    return GraphLine(f"{frame.file}({frame.line}): {frame.name}", modules[-1] if modules else "")
