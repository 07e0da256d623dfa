"""Reads the graphs of a recording: as data where they were recorded so, else out of the text."""

import collections
import dataclasses
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

from inspector.features.graph.parsed import parsed_nodes
from inspector.features.graph.step_names import short_name
from inspector.features.kernels.node_lines import module_path
from inspector.records.graphs import GraphNode, RecordedGraph
from inspector.run.graph import Graph, Node, Stage
from inspector.run.graph_places import GraphPlace
from inspector.run.run import Process
from inspector.shared.roots import Roots
from inspector.trace.inspector_records import stored_record
from inspector.trace.printed_stack import printed_frames

_GIVEN = frozenset({Stage.FORWARD, Stage.BACKWARD, Stage.INFERENCE})
_STAGES = {stage.value.replace("-", "_"): stage for stage in Stage}


def read_graphs(
    places: Iterable[GraphPlace], roots: Roots, stages: frozenset[Stage] = frozenset(Stage)
) -> tuple[list[Graph], list[str]]:
    """Reads the graphs of some stages, in torch's order.

    Returns:
        The graphs, and what could not be read: a sentence for each.
    """
    graphs: list[Graph] = []
    unread: list[str] = []
    seen: collections.Counter[tuple[str, Stage, str]] = collections.Counter()
    # What the forward pass keeps is what the backward pass takes.
    read = stages | {Stage.BACKWARD} if Stage.FORWARD in stages else stages
    places = list(places)
    for place, direction in zip(places, directions(places), strict=True):
        stage = _STAGES.get(place.stage)
        if stage is None or stage not in read:
            continue
        try:
            graph = _read(place, stage, roots, direction)
        except (OSError, ValueError, RecursionError) as error:
            unread.append(f"the {stage.value} graph of {place.compile_id}: {error}")
            continue
        key = graph.compile_id, stage, graph.direction
        graphs.append(dataclasses.replace(graph, number=seen[key]))
        seen[key] += 1
    graphs = [graph for graph in _with_saved(graphs) if graph.stage in stages]
    lowered = (node for graph in graphs if graph.stage is Stage.POST_GRAD for node in graph.nodes)
    if any(map(_is_renamed, lowered)):
        graphs = _with_products(graphs, places, roots)
    return graphs, unread


def captured_graphs(
    process: Process, roots: Roots, compile_ids: Container[str], *, recorded: bool = False
) -> list[Graph]:
    """Dynamo's graphs of some compilations; where they were recorded, nodes have whole stacks.

    Args:
        recorded: Leaves out those of which only torch's own text is known.
    """
    places = [place for place in process.graphs.places if place.compile_id in compile_ids]
    read = (place for place in places if place.recorded or not recorded)
    return read_graphs(read, roots, frozenset({Stage.DYNAMO}))[0]


def _with_products(graphs: list[Graph], places: Sequence[GraphPlace], roots: Roots) -> list[Graph]:
    """With what is known of products, from the graphs before Inductor's passes."""
    given, _ = read_graphs(places, roots, _GIVEN)
    before = {(graph.compile_id, graph.stage.value, graph.number): graph for graph in given}
    return [
        with_products(graph, before[key])
        if graph.stage is Stage.POST_GRAD
        and (key := (graph.compile_id, graph.direction, graph.number)) in before
        else graph
        for graph in graphs
    ]


def directions(places: Iterable[GraphPlace]) -> Iterator[str]:
    """Which pass each post-grad graph belongs to, where only its text was logged.

    With a backward graph behind it AOTAutograd's forward graph stands first, and so it is lowered
    first; the backward graph is lowered next, however much later.
    """
    partitioned: set[str] = set()
    lowered: set[str] = set()
    for place in places:
        if place.stage == "forward":
            partitioned.add(place.compile_id)
        if place.stage != "post_grad":
            yield ""
        elif place.compile_id not in partitioned:
            yield "inference"
        else:
            yield "backward" if place.compile_id in lowered else "forward"
            lowered.add(place.compile_id)


def _read(place: GraphPlace, stage: Stage, roots: Roots, direction: str) -> Graph:
    if place.recorded is not None:
        found = stored_record(RecordedGraph, place.recorded)
        if found.is_backward is not None and direction != "inference":
            direction = "backward" if found.is_backward else "forward"
        nodes = _with_origins([_recorded(found, node, roots) for node in found.nodes])
        return Graph(place.compile_id, stage, direction, nodes)
    if place.text is None:
        message = "the log has neither its nodes nor its text"
        raise ValueError(message)
    nodes = parsed_nodes(place.text.text(), roots)
    return Graph(place.compile_id, stage, direction, nodes, is_parsed=True)


def _recorded(graph: RecordedGraph, node: GraphNode, roots: Roots) -> Node:
    frames = printed_frames(graph.stack_of(node))
    return Node(
        name=node.name,
        op=node.op,
        target=node.target,
        inputs=node.inputs,
        tensors=node.tensors,
        stack=tuple(frame for frame in frames if roots.is_user(frame.file)),
        modules=tuple((module_path(path), kind) for path, kind in graph.modules_of(node)),
        earlier=node.earlier,
        aten=node.aten,
        is_backward=node.is_backward,
        flops=node.flops,
        inside=tuple(_recorded(graph, inner, roots) for inner in node.inside),
    )


def _with_origins(nodes: list[Node]) -> tuple[Node, ...]:
    """A node that one of Inductor's patterns made has no stack; what takes its results has one.

    So it is with ``prims.prepare_softmax_online`` (torch/_inductor/fx_passes/joint_graph.py).
    """
    origins = {
        node.inputs[0]: node
        for node in nodes
        if node.target.endswith("getitem") and len(node.inputs) == 1 and node.aten
    }
    return tuple(
        dataclasses.replace(
            node, earlier=node.earlier or taken.earlier, stack=node.stack or taken.stack,
            modules=node.modules or taken.modules,
        )
        if node.aten == node.target and (taken := origins.get(node.name)) is not None
        else node
        for node in nodes
    )  # fmt: skip


def _with_saved(graphs: list[Graph]) -> list[Graph]:
    """Marks what the forward graphs keep: the backward graph takes it under the same name.

    ``_extract_fwd_bwd_modules`` makes the backward graph's placeholders of the nodes that are saved
    (torch/_functorch/partitioners.py, 2.11 to 2.13).
    """
    taken: dict[str, set[str]] = {}
    for graph in graphs:
        if graph.stage is Stage.BACKWARD:
            inputs = {node.name for node in graph.nodes if node.op == "placeholder"}
            taken.setdefault(graph.compile_id, set()).update(inputs)
    marked = []
    for graph in graphs:
        returned = {name for node in graph.nodes if node.op == "output" for name in node.inputs}
        saved = taken.get(graph.compile_id, set()) & returned
        nodes = (dataclasses.replace(node, is_saved=node.name in saved) for node in graph.nodes)
        is_forward = graph.stage is Stage.FORWARD
        marked.append(dataclasses.replace(graph, nodes=tuple(nodes)) if is_forward else graph)
    return marked


def with_products(graph: Graph, before: Graph) -> Graph:
    """The same graph with the line, module and operator of each product that was absorbed.

    Of ``mm`` and ``add`` a pass of Inductor's makes ``addmm``, and of a frozen ``linear`` and
    ``relu`` one call of a library. Such a node has what was known of the last operator that it
    replaces (`replace_by_example` in torch/_inductor/pattern_matcher.py, 2.11 to 2.13): it is the
    product that takes the time.
    """
    kept = {node.name for node in graph.nodes}
    for node in graph.nodes:
        if node.flops and not _is_renamed(node):  # a product under another name
            kept.update(node.earlier)
    known = {node.name: node for node in before.nodes}
    gone = {node.name: node for node in before.nodes if node.flops and node.name not in kept}
    nodes = []
    for node in graph.nodes:
        # In a backward pass its inputs are all that a product is known by.
        same = (item for item in gone.values() if {*node.inputs}.issuperset(item.inputs))
        product = None
        if _is_renamed(node):
            product = next(same, None) or _behind_its_name(node, known, kept)
        if product is not None:
            earlier = dict.fromkeys((*product.earlier, product.name, *node.earlier))
            node = dataclasses.replace(  # noqa: PLW2901
                node,
                stack=product.stack,
                modules=product.modules,
                earlier=tuple(earlier),
                aten=product.aten or product.target,
            )
        nodes.append(node)
    return dataclasses.replace(graph, nodes=tuple(nodes))


def _is_renamed(node: Node) -> bool:
    return bool(node.flops and node.aten) and short_name(node.aten) != short_name(node.target)


def _behind_its_name(node: Node, known: Mapping[str, Node], kept: Collection[str]) -> Node | None:
    """The nearest product that goes into what had the node's name."""
    last = known.get(next((name for name in reversed(node.earlier) if name in known), ""))
    if last is None or last.flops:
        return None
    behind, seen = [*last.inputs], {last.name}
    for name in behind:
        item = known.get(name)
        if item is None or name in seen or name in kept:
            continue
        if item.flops:
            return item
        seen.add(name)
        behind.extend(item.inputs)
    return None
