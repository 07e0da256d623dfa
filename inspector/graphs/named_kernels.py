"""The kernels that name a line: all that a log of torch's own says of what a line became."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from inspector.model.kernel import Call, GraphCode, Kernel, NodeLine


@dataclasses.dataclass(frozen=True, slots=True)
class NamedKernel:
    """A kernel, or a call of a library, whose comment names operators of a line.

    Attributes:
        graph: The compilation and direction of its graph.
        nodes: The names of the line's nodes in the captured graph.
    """

    graph: str
    kernel: str
    nodes: tuple[str, ...]
    is_shared: bool
    is_backward: bool


def kernels_naming(
    graphs: Iterable[GraphCode], files: Iterable[str], line: int
) -> Iterator[NamedKernel]:
    """The kernels that name a line, in the order of the generated code, each once for a graph.

    Args:
        files: The files that the line can be in, as the log has them.
    """
    places = {(file, line) for file in files}
    for graph in graphs:
        named: dict[str, dict[NodeLine, None]] = {}
        items: tuple[Kernel | Call, ...] = (*graph.kernels, *graph.calls)
        for item in items:
            named.setdefault(item.name, {}).update(dict.fromkeys(item.nodes))
        order = dict.fromkeys((*(call.name for call in graph.calls), *named))
        for name in order:
            own = [node.node for node in named[name] if (node.file, node.line) in places]
            if own:
                is_shared = len(own) < len(named[name])
                is_backward = graph.direction == "backward"
                label = f"{graph.compile_id or graph.name} {graph.direction}"
                yield NamedKernel(label, name, tuple(own), is_shared, is_backward)
