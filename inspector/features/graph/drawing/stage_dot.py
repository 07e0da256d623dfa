"""The graph of one stage: operators in the frames of their modules, or modules as boxes."""

import collections
import dataclasses
from collections.abc import Collection, Mapping, Sequence

import graphviz

from inspector.features.graph.drawing import labels, style
from inspector.features.graph.drawing.collapse import Box, make_boxes
from inspector.features.graph.drawing.colours import Colours
from inspector.features.graph.drawing.options import Caption, Drawing
from inspector.features.graph.drawing.picture import Cell, new_picture, table
from inspector.features.graph.drawing.roles import Roles, make_roles
from inspector.features.graph.drawing.stage_box import (
    arrow_text,
    arrow_tooltip,
    box_label,
    box_tooltip,
)
from inspector.run.graph import Graph, Node

# More texts at the arrows than these make a picture wide and hide the boxes.
_MOST_TEXTS = 120
_SHARED = (
    "A tensor read by many boxes has an arrow only to the first reader; the others show its name."
)
_FILLS = ("#fafafa", "#f2f2f2")
# Each module with its class, and whether it is the frame of its backward pass.
_Path = tuple[tuple[str, str, bool], ...]
_FEW_INPUTS = 5
_MOST_RESULTS = 5
# What more boxes than these read is named there, but for the first.
_MOST_READERS = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Arrow:
    """From one box to another, with the nodes whose values go this way."""

    source: int
    target: int
    nodes: tuple[Node, ...]


def stage_dot(
    graph: Graph, caption: Caption, options: Drawing | None = None, roles: Roles | None = None
) -> str:
    """Draws the graph of a stage."""
    options = options or Drawing()
    roles = roles or make_roles(graph)
    boxes, collapsed = make_boxes(graph, options)
    boxes, arrows = wire(boxes, graph, roles, is_collapsed=bool(collapsed))
    colours = Colours(boxes, roles, options.around)
    computing = [box.nodes[0] for box in boxes if box.nodes[0].is_compute]
    is_mixed = len({node.is_backward for node in computing}) > 1
    notes = ["A frame is a module. An arrow is one or more tensors."]
    notes += ["Dashed frames belong to the backward pass."] if is_mixed else []
    notes += [_SHARED] if any(box.shared for box in boxes) else []
    operators = sum(node.is_compute for box in boxes for node in box.nodes)
    total = ", ".join(filter(None, (labels.count(operators, "operator"), collapsed)))
    picture = new_picture(caption, (total,), colours.legend(), notes)
    _Frames(boxes, colours, roles, is_mixed=is_mixed).add(picture)
    for arrow in arrows:
        about = {"tooltip": labels.in_tooltip(arrow_tooltip(arrow.nodes))}
        text = arrow_text(arrow.nodes) if len(arrows) <= _MOST_TEXTS else ""
        if text:
            about["label"] = table([[Cell(text, size=8, colour=style.MUTED)]])
            about["labeltooltip"] = about["tooltip"]
        picture.edge(f"n{arrow.source}", f"n{arrow.target}", **about)
    return str(picture.source)


class _Frames:
    """Draws boxes in the frames of their modules; where both passes are drawn, in one for each."""

    def __init__(
        self, boxes: Sequence[Box], colours: Colours, roles: Roles, *, is_mixed: bool
    ) -> None:
        self._boxes = boxes
        self._colours = colours
        self._roles = roles
        self._count = 0
        self._places: dict[_Path, list[int]] = collections.defaultdict(list)
        self._inner: dict[_Path, dict[_Path, None]] = collections.defaultdict(dict)
        for place, box in enumerate(boxes):
            # The passes are drawn apart: else each frame would reach over the whole picture.
            is_backward = is_mixed and box.nodes[0].is_backward
            path: _Path = ()
            for module, kind in box.modules:
                inner = (*path, (module, kind, is_backward))
                self._inner[path][inner] = None
                path = inner
            self._places[path].append(place)

    def add(self, picture: graphviz.Digraph, path: _Path = ()) -> None:
        """Draws what is in a frame: all boxes in that of no module."""
        for place in self._places[path]:
            box = self._boxes[place]
            label = box_label(box, self._colours.look(place), self._roles)
            picture.node(f"n{place}", label=label, tooltip=labels.in_tooltip(box_tooltip(box)))
        for inner in self._inner[path]:
            module, kind, is_backward = inner[-1]
            title = labels.module(module, kind) + (", backward" if is_backward else "")
            self._count += 1
            with picture.subgraph(name=f"cluster_{self._count}") as frame:
                frame.attr(
                    label=table([[Cell(title, size=9, colour=style.MUTED)]]),
                    tooltip=labels.in_tooltip([title]),
                    style="filled,dashed" if is_backward else "filled,rounded",
                    fillcolor=_FILLS[len(inner) % len(_FILLS)],
                )
                self.add(frame, inner)


def wire(
    boxes: Sequence[Box], graph: Graph, roles: Roles, *, is_collapsed: bool
) -> tuple[list[Box], list[Arrow]]:
    """Draws arrows, one between any two boxes.

    Args:
        is_collapsed: Whether boxes stand for several nodes. Then parameters, and what the forward
            pass kept, are counted where they are used; if nobody knows which inputs these are,
            those that one box alone uses.
    """
    makers = {node.name: node for node in graph.nodes}
    place_of = {node.name: n for n, box in enumerate(boxes) for node in box.nodes}
    readers: dict[str, set[int]] = collections.defaultdict(set)
    for place, box in enumerate(boxes if is_collapsed else ()):
        for name in (name for node in box.nodes for name in node.inputs):
            if place_of.get(name) != place:
                readers[name].add(place)
    folded = (roles.folded or _lonely(boxes, readers)) if is_collapsed else frozenset()
    shared: dict[int, dict[str, Node]] = collections.defaultdict(dict)
    found: dict[tuple[int, int], dict[str, Node]] = collections.defaultdict(dict)
    for node in (node for box in boxes for node in box.nodes):
        target = place_of[node.name]
        for name in node.inputs:
            source = place_of.get(name)
            is_kept = node.op == "output" and name not in (roles.returned or {name})
            if source is None or source == target or name in folded or is_kept:
                continue
            is_far = len(readers[name]) > _MOST_READERS and target != min(readers[name])
            (shared[target] if is_far else found[source, target])[name] = makers[name]
    arrows = [Arrow(*ends, tuple(nodes.values())) for ends, nodes in found.items()]
    return _without_folded(boxes, arrows, folded, shared, makers)


def _lonely(boxes: Sequence[Box], readers: Mapping[str, set[int]]) -> frozenset[str]:
    """The inputs that one box alone reads, if there are many."""
    first = [box.nodes[0] for box in boxes]
    inputs = [node.name for node in first if node.op in {"placeholder", "get_attr"}]
    is_few = len(inputs) <= _FEW_INPUTS
    return frozenset(name for name in inputs if not is_few and len(readers.get(name, ())) <= 1)


def _without_folded(
    boxes: Sequence[Box],
    arrows: Sequence[Arrow],
    folded: Collection[str],
    shared: Mapping[int, Mapping[str, Node]],
    makers: Mapping[str, Node],
) -> tuple[list[Box], list[Arrow]]:
    """The boxes with all that is only counted in them, and the arrows between these."""
    outputs = {n for n, box in enumerate(boxes) if box.nodes[0].op == "output"}
    results = [arrow for arrow in arrows if arrow.target in outputs]
    results = results if len(results) > _MOST_RESULTS else []
    gone = {arrow.target for arrow in results}
    returned = {arrow.source: arrow.nodes for arrow in results}
    drawn: list[Box] = []
    places: dict[int, int] = {}
    for n, box in enumerate(boxes):
        if n in gone or box.nodes[0].name in folded:
            continue
        names = dict.fromkeys(name for node in box.nodes for name in node.inputs)
        counted = [makers[name] for name in names if name in folded and name in makers]
        places[n] = len(drawn)
        drawn.append(
            dataclasses.replace(
                box,
                folded=() if n in outputs else tuple(counted),
                shared=tuple(shared.get(n, {}).values()),
                returned=returned.get(n, ()),
            )
        )
    return drawn, [
        Arrow(places[arrow.source], places[arrow.target], arrow.nodes)
        for arrow in arrows
        if arrow.target in places
    ]
