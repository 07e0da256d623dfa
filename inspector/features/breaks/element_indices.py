"""What only a compiling backend refuses: elements at tensors without dimensions.

Dynamo traces ``x[i]`` with such an ``i`` into its graph. AOTAutograd cannot trace that graph (it
asks for the number, ``aten._local_scalar_dense``), and the whole function runs eagerly (tried with
torch 2.11 and 2.13). The backend ``eager`` takes the graph as it is, so that no graph break is
recorded.
"""

import re
from collections.abc import Iterator

from inspector.features.graph.reading import read_graphs
from inspector.run.graph import Node, Stage
from inspector.run.graph_places import GraphPlace
from inspector.run.run import Process, Run

_TAKES_ALL = "eager"
_NUMBER = re.compile(r"[iu]\d+\[\]")
_WHOLE_NUMBERS = ("int", "uint")
_MOST = 3


def refused_elements(run: Run) -> Iterator[str]:
    """A sentence where Inductor would not compile what the backend ``eager`` took."""
    if run.meta.settings.get("backend") != _TAKES_ALL:
        return
    found = dict.fromkeys(place for process in run.processes for place in _places(run, process))
    if found:
        shown = ", ".join([*found][:_MOST]) + (", …" if len(found) > _MOST else "")
        yield (
            f"Inductor cannot compile {shown}: an index is a zero-dimensional tensor, accepted "
            "only by the eager backend. Use --backend inductor to see the graph break and its fix"
        )


def _places(run: Run, process: Process) -> Iterator[str]:
    dynamos = [place for place in process.graphs.places if place.stage == Stage.DYNAMO.value]
    graphs, _ = read_graphs(filter(_may_have_some, dynamos), run.roots, frozenset({Stage.DYNAMO}))
    for graph in graphs:
        nodes = {node.name: node for node in graph.nodes}
        for node in graph.nodes:
            line = node.line
            if line is not None and any(map(_is_number, _indices(node, nodes))):
                yield f"`{line.code}` ({run.roots.shown(line.file)}:{line.line})"


def _may_have_some(place: GraphPlace) -> bool:
    try:
        return place.text is not None and _NUMBER.search(place.text.text()) is not None
    except OSError:
        return False


def _indices(node: Node, nodes: dict[str, Node]) -> Iterator[Node]:
    """The tensors that an element is taken at; the last of an assignment is what is assigned."""
    names = {"_operator.getitem": node.inputs[1:], "_operator.setitem": node.inputs[1:-1]}.get(
        node.target, ()
    )
    return (nodes[name] for name in names if name in nodes)


def _is_number(node: Node) -> bool:
    return any(
        tensor.shape == () and tensor.dtype.startswith(_WHOLE_NUMBERS) for tensor in node.tensors
    )
