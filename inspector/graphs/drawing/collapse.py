"""What becomes one box: a node, a module, a source line, a kernel."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Sequence

from inspector.errors import UsageError
from inspector.graphs.drawing.grouping import group_nodes
from inspector.graphs.drawing.labels import line, module
from inspector.graphs.drawing.options import Collapse, Drawing
from inspector.model.graph import Graph, Node, Stage

_MOST_BOXES = 2000
_DEEPEST = 12


@dataclasses.dataclass(frozen=True, slots=True)
class Box:
    """One box.

    Attributes:
        nodes: The nodes that it stands for, in order.
        title: What they are: a module, a line, a kernel; else empty.
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

    Args:
        graph: The graph; its inputs and its results always are boxes of their own.

    Returns:
        Boxes in order, and a few words about what became one (empty where nothing did).

    Raises:
        UsageError: It would be over 2,000 boxes, and is not forced.
    """
    # In the graph of one pass the mark says little: decompositions of the other are in it, too.
    is_joint = graph.stage is Stage.JOINT
    compute = [
        node if is_joint or not node.is_backward else dataclasses.replace(node, is_backward=False)
        for node in graph.nodes
        if node.is_compute
    ]
    way = options.collapse
    if way is Collapse.AUTO:
        way = Collapse.NONE if len(compute) <= options.most_boxes else Collapse.MODULE
    if way is Collapse.NONE:
        boxes, said = [Box((node,), modules=node.modules) for node in compute], ""
    elif way is Collapse.LINE:
        boxes, said = _grouped(compute, _line_key, _line_title), "one box per source line"
    elif way is Collapse.KERNEL:
        boxes, said = _grouped(compute, _kernel_key, _kernel_title), "one box per kernel"
    else:
        boxes, said = _by_depth(compute, options)
    around = {} if said else _readers_modules(graph)
    first = [
        Box((node,), modules=around.get(node.name, ()))
        for node in graph.nodes
        if node.op in {"placeholder", "get_attr"}
    ]
    last = [Box((node,)) for node in graph.nodes if node.op == "output"]
    _refuse_many(len(boxes) + (0 if said else len(first)), options)
    return [*first, *boxes, *last], said


def _readers_modules(graph: Graph) -> dict[str, tuple[tuple[str, str], ...]]:
    """Of what one node alone reads, the modules of that node: a parameter stands in its frame."""
    readers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        # What is kept for the backward pass is among the results: these do not count.
        for name in node.inputs if node.is_compute else ():
            readers.setdefault(name, []).append(node)
    return {name: found[0].modules for name, found in readers.items() if len(found) == 1}


def _refuse_many(boxes: int, options: Drawing) -> None:
    if options.force or boxes <= _MOST_BOXES:
        return
    raise UsageError(
        f"The picture would have {boxes:,} boxes, for which `dot` may take hours.",
        "`--collapse auto` makes a readable picture; "
        f"`--collapse {options.collapse.value} --force` draws them all.",
    )


def _by_depth(nodes: Sequence[Node], options: Drawing) -> tuple[list[Box], str]:
    """The deepest modules of which there are few enough, unless a depth was asked for."""
    deepest = min(_DEEPEST, max((len(node.modules) for node in nodes), default=0))
    depth = options.depth
    if depth is not None:
        return _modules(nodes, depth), _depth_said(depth)
    for depth in range(deepest, 0, -1):
        if len(set(map(_module_key(depth), nodes))) > options.most_boxes:
            continue
        boxes = _modules(nodes, depth)
        if len(boxes) <= options.most_boxes:
            return boxes, _depth_said(depth)
    return _modules(nodes, 0), _depth_said(0)


def _depth_said(depth: int) -> str:
    if not depth:
        return "one box for all operators"
    return f"one box per module, {depth} {'level' if depth == 1 else 'levels'} deep"


def _modules(nodes: Sequence[Node], depth: int) -> list[Box]:
    around = {node.modules[:n] for node in nodes for n in range(len(node.modules))}
    boxes = []
    for group in group_nodes(nodes, _module_key(depth)):
        modules = group.nodes[0].modules[:depth]
        # What a module does itself, beside modules in it, stands in its frame.
        is_whole = bool(modules) and (len(modules) == depth or modules not in around)
        title = module(*modules[-1]) if is_whole else ""
        boxes.append(Box(tuple(group.nodes), title, modules[:-1] if is_whole else modules))
    return boxes


def _module_key(depth: int) -> Callable[[Node], Hashable]:
    def key(node: Node) -> Hashable:
        return node.is_backward, node.modules[:depth]

    return key


def _grouped(
    nodes: Sequence[Node], key: Callable[[Node], Hashable], title: Callable[[Node], str]
) -> list[Box]:
    return [
        Box(tuple(group.nodes), title(group.nodes[0]), _common(group.nodes))
        for group in group_nodes(nodes, key)
    ]


def _common(nodes: Sequence[Node]) -> tuple[tuple[str, str], ...]:
    found: tuple[tuple[str, str], ...] = ()
    for same in zip(*(node.modules for node in nodes), strict=False):
        if len(set(same)) > 1:
            break
        found = (*found, same[0])
    return found


def _line_key(node: Node) -> Hashable:
    if node.line is None:
        return node.name
    return node.line.file, node.line.line, node.is_backward, node.module


def _line_title(node: Node) -> str:
    return f"{line(node.line)}  {node.line.code}".strip() if node.line else ""


def _kernel_key(node: Node) -> Hashable:
    return node.kernels or node.name


def _kernel_title(node: Node) -> str:
    return ", ".join(node.kernels)
