"""The user's line of each node in the text of a graph that Dynamo captured."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inspector.model.kernel import NodeLine

__all__ = ["node_lines"]

# `# File: model.py:12 in forward, code: return x` stands before the nodes of a line, and
# `name: "f32[8]" = torch.relu(x)` is a node (torch/fx/graph.py, 2.11 to 2.13).
_FILE = re.compile(r"\s*# File: (?P<file>.+?):(?P<line>\d+) in [^,\s]+(?:, code: (?P<code>.*))?")
_NODE = re.compile(r"\s*(?P<name>\w+)(?:: \"[^\"]*\")? = ")


def node_lines(text: str) -> Mapping[str, NodeLine]:
    """The lines by the names of nodes.

    Args:
        text: The payload of ``dynamo_output_graph``.
    """
    found: dict[str, NodeLine] = {}
    place = NodeLine("")
    for line in text.split("\n"):
        file = _FILE.match(line)
        if file is not None:
            place = NodeLine("", file["file"], int(file["line"]), file["code"] or "")
            continue
        node = _NODE.match(line)
        if node is not None and place.file:
            name = node["name"]
            found[name] = NodeLine(name, place.file, place.line, place.code)
    return found
