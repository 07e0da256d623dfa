"""What becomes one box: a node or a module."""

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence

from inspector.features.graph.drawing import labels
from inspector.features.graph.drawing.options import Drawing
from inspector.run.graph import Graph, Node, Stage

_MOST_BOXES = 2000  # with more, parameters among them, `dot` may take hours
_DEEPEST = 12


@dataclasses.dataclass(frozen=True, slots=True)
class Box:
    """One box.

    Attributes:
        title: The module that they are, or an empty string.
        modules: The modules around it, outermost first.
        folded: Parameters, and tensors that the forward pass kept, that only are counted here.
        shared: What many boxes read and no arrow brings here.
        returned: Results of the graph that only are counted here.
    """

    nodes: tuple[Node, ...]
    title: str = ""
    modules: tuple[tuple[str, str], ...] = ()
    folded: tuple[Node, ...] = ()
    shared: tuple[Node, ...] = ()
    returned: tuple[Node, ...] = ()

    @property
    def is_group(self) -> bool:
        """Whether it stands for several nodes."""
        return len(self.nodes) > 1


def make_boxes(graph: Graph, options: Drawing) -> tuple[list[Box], str]:
    """Decides what becomes one box.

    Returns:
        Boxes in order, and a few words about what became one (empty where nothing did).
    """
    # In the graph of one pass the mark says little: decompositions of the other are in it, too.
    is_joint = graph.stage is Stage.JOINT
    compute = [
        node if is_joint or not node.is_backward else dataclasses.replace(node, is_backward=False)
        for node in graph.nodes
        if node.is_compute
    ]
    is_small = len(compute) <= options.most_boxes and len(graph.nodes) <= _MOST_BOXES
    if is_small if options.collapses is None else not options.collapses:
        boxes, collapsed = [Box((node,), modules=node.modules) for node in compute], ""
    else:
        boxes, collapsed = _by_depth(compute, options)
    around = {} if collapsed else _modules_of_readers(graph)
    first = [
        Box((node,), modules=around.get(node.name, ()))
        for node in graph.nodes
        if node.op in {"placeholder", "get_attr"}
    ]
    last = [Box((node,)) for node in graph.nodes if node.op == "output"]
    return [*first, *boxes, *last], collapsed


def _modules_of_readers(graph: Graph) -> dict[str, tuple[tuple[str, str], ...]]:
    """Of what one node alone reads, the modules of that node: a parameter stands in its frame."""
    readers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        # What is kept for the backward pass is among the results: these do not count.
        for name in node.inputs if node.is_compute else ():
            readers.setdefault(name, []).append(node)
    return {name: found[0].modules for name, found in readers.items() if len(found) == 1}


def _by_depth(nodes: Sequence[Node], options: Drawing) -> tuple[list[Box], str]:
    deepest = min(_DEEPEST, max((len(node.modules) for node in nodes), default=0))
    for depth in range(deepest, 0, -1):
        if len({(node.is_backward, node.modules[:depth]) for node in nodes}) > options.most_boxes:
            continue
        boxes = _modules(nodes, depth)
        if len(boxes) <= options.most_boxes:
            return boxes, f"one box per module, {labels.count(depth, 'level')} deep"
    return _modules(nodes, 0), "all operators in one box"


def _modules(nodes: Sequence[Node], depth: int) -> list[Box]:
    around = {node.modules[:n] for node in nodes for n in range(len(node.modules))}
    boxes = []
    for group in group_nodes(nodes, lambda node: (node.is_backward, node.modules[:depth])):
        modules = group[0].modules[:depth]
        # What a module does itself, beside modules in it, stands in its frame.
        is_whole = bool(modules) and (len(modules) == depth or modules not in around)
        title = labels.module(*modules[-1]) if is_whole else ""
        boxes.append(Box(tuple(group), title, modules[:-1] if is_whole else modules))
    return boxes


def group_nodes(nodes: Iterable[Node], key_of: Callable[[Node], Hashable]) -> list[list[Node]]:
    """Groups nodes by a key, in order; a module that is called twice has two groups.

    A node joins the last group of its key unless something that it needs already needs that group;
    then a new group begins.
    """
    groups: list[list[Node]] = []
    above: list[int] = []  # of each group, the groups that it needs, as the bits of a number
    below: list[set[int]] = []
    group_of: dict[str, int] = {}
    last: dict[Hashable, int] = {}
    for node in nodes:
        key = key_of(node)
        needed = {group_of[name] for name in node.inputs if name in group_of}
        place = last.get(key)
        if place is None or any(above[n] >> place & 1 for n in needed - {place}):
            place = last[key] = len(groups)
            groups.append([])
            above.append(0)
            below.append(set())
        groups[place].append(node)
        group_of[node.name] = place
        reached = above[place]
        for other in needed - {place}:
            reached |= above[other] | 1 << other
            below[other].add(place)
        # What needs this group needs all of that, too; a new group has none.
        waiting = [(place, reached)]
        while waiting:
            n, found = waiting.pop()
            if above[n] | found != above[n]:
                above[n] |= found
                waiting += [(each, above[n]) for each in below[n]]
    return groups
