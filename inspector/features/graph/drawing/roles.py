"""What the inputs and results of a graph are to its user: parameters, tensors kept for later."""

import dataclasses
import re
from collections.abc import Iterable, Sequence

from inspector.run.graph import Graph, Node, Stage

_PARAMETER = re.compile(r"_(?:parameters|buffers)_")
# AOTAutograd's names for what the forward graph takes, in the order of Dynamo's inputs
# (torch/_functorch/_aot_autograd, 2.11 to 2.13), and for the gradients that come in.
_TAKEN = re.compile(r"(?:primals_(\d+)|arg(\d+))(?:_1)?")
_TANGENT = "tangents_"


@dataclasses.dataclass(frozen=True, slots=True)
class Roles:
    """Names of nodes of one graph.

    Attributes:
        parameters: Inputs that are parameters or buffers of the module.
        kept: Inputs of a backward graph that the forward graph kept for it.
        saved: What a forward graph keeps for the backward graph, inputs not among it.
    """

    parameters: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    saved: frozenset[str] = frozenset()
    returned: frozenset[str] = frozenset()


def make_roles(graph: Graph, graphs: Iterable[Graph] = ()) -> Roles:
    """Finds out what the inputs and results are.

    Args:
        graphs: All of the recording: Dynamo's has the parameters, the forward's what is kept.
    """
    same = [found for found in graphs if found.compile_id == graph.compile_id]
    dynamo = next((found for found in same if found.stage is Stage.DYNAMO), None)
    parameters = _parameters(graph, dynamo)
    returned = _results(graph)
    saved = _saved(graph, same, returned, dynamo)
    tensors = {node.name for node in _inputs(graph)} - parameters
    is_backward = graph.stage is Stage.BACKWARD or graph.direction == "backward"
    kept = {name for name in tensors if is_backward and not name.startswith(_TANGENT)}
    only_saved = saved - set(returned[: _count_results(dynamo)])
    saved -= {node.name for node in _inputs(graph)}
    return Roles(parameters, frozenset(kept), saved, frozenset(returned) - only_saved)


def _inputs(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.op == "placeholder"]


def _parameters(graph: Graph, dynamo: Graph | None) -> frozenset[str]:
    own = {node.name for node in graph.nodes if node.op == "get_attr"}
    own |= {node.name for node in _inputs(graph) if _PARAMETER.search(node.target)}
    if dynamo is None or graph.stage in {Stage.DYNAMO, Stage.PRE_GRAD}:
        return frozenset(own)
    taken = _inputs(dynamo)
    for node in _inputs(graph):
        found = _TAKEN.fullmatch(node.name)
        # `primals_3` and `arg2_1` are the third.
        place = (int(found[1]) - 1 if found[1] else int(found[2])) if found else len(taken)
        same = taken[place] if place < len(taken) else None
        if same is None or not _PARAMETER.search(same.target):
            continue
        # A subclass of tensors is several inputs: then the order says nothing.
        shapes, expected = ([item.shape for item in each.tensors] for each in (node, same))
        if shapes == expected:
            own.add(node.name)
    return frozenset(own)


def _results(graph: Graph) -> Sequence[str]:
    return next((node.inputs for node in graph.nodes if node.op == "output"), ())


def _count_results(dynamo: Graph | None) -> int:
    """The first results are those that the user asked for."""
    return max(1, len(_results(dynamo))) if dynamo else 1


def _saved(
    graph: Graph, same: Sequence[Graph], returned: Sequence[str], dynamo: Graph | None
) -> frozenset[str]:
    own = frozenset(node.name for node in graph.nodes if node.is_saved)
    if own or graph.direction != "forward":
        return own
    forward = next((found for found in same if found.stage is Stage.FORWARD), None)
    if forward is None:
        # All but what the user asked for: Dynamo's graph says how many these are.
        return frozenset(returned[_count_results(dynamo) :]) if dynamo else own
    # Post-grad passes rename nodes and keep the order of the results.
    before = _results(forward)
    marked = {node.name for node in forward.nodes if node.is_saved}
    if len(before) != len(returned):
        return frozenset(marked & set(returned))
    return frozenset(now for was, now in zip(before, returned, strict=True) if was in marked)
