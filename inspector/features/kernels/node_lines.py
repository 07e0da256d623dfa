"""The user's line of each node of a graph that Dynamo captured."""

import re
from collections.abc import Mapping

from inspector.records.graphs import RecordedGraph
from inspector.run.kernel import NodeLine
from inspector.shared.roots import Roots
from inspector.shared.stack import user_frame
from inspector.trace.graph_text import parse_graph
from inspector.trace.printed_stack import printed_frames

# `L['self'].layers.0`, `L['self']._modules['layers']._modules['0']`, `L['fn'].layers[0]`.
_ROOT = re.compile(r"^L\['\w+'\]")
_PART = re.compile(r"(?:\.?_modules)?(?:\.(\w+)|\[['\"]?([^\]'\"]+)['\"]?\])")


def recorded_node_lines(graph: RecordedGraph, roots: Roots) -> Mapping[str, NodeLine]:
    """The lines by the names of nodes, with their modules."""
    lines: dict[str, NodeLine] = {}
    for node in graph.nodes:
        if node.op.startswith("call_"):
            path, kind = next(reversed(graph.modules_of(node)), ("", ""))
            line = NodeLine(node.name, "", 0, "", module_path(path), node.target, kind)
            frame = user_frame(printed_frames(graph.stack_of(node)), roots)
            lines[node.name] = line.at(frame) if frame is not None else line
    return lines


def module_path(source: str) -> str:
    """A module's path below the one that is compiled, from what Dynamo calls it."""
    rest = _ROOT.sub("", source)
    return ".".join(name or item for name, item in _PART.findall(rest))


def node_lines(text: str) -> Mapping[str, NodeLine]:
    """The lines by the names of nodes; nothing where the text was cut off."""
    try:
        nodes = parse_graph(text).nodes
    except (ValueError, RecursionError):
        return {}
    return {
        node.name: NodeLine(
            node.name, node.place.file, node.place.line, node.place.code, target=node.operation
        )
        for node in nodes
        if node.place is not None
    }
