"""The graph of one stage: operators in the frames of their modules, or modules as boxes."""

from __future__ import annotations

import collections
from collections.abc import Sequence

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
from inspector.features.graph.drawing.wiring import Arrow, wire
from inspector.run.graph import Graph

# More texts at the arrows than these make a picture wide and hide the boxes.
_MOST_TEXTS = 120
_SHARED = "A tensor that many boxes read (a mask) has an arrow to the first; others name it."
_FILLS = ("#fafafa", "#f2f2f2")
# Each module with its class, and whether it is the frame of its backward pass.
_Path = tuple[tuple[str, str, bool], ...]


def stage_dot(
    graph: Graph, caption: Caption, options: Drawing | None = None, roles: Roles | None = None
) -> str:
    """Draws the graph of a stage.

    Raises:
        UsageError: It would be over 2,000 boxes, and is not forced.
    """
    options = options or Drawing()
    roles = roles or make_roles(graph)
    boxes, collapsed = make_boxes(graph, options)
    boxes, arrows = wire(boxes, graph, roles, is_collapsed=bool(collapsed))
    colours = Colours(boxes, options.colour, roles, options.around)
    computing = [box.nodes[0] for box in boxes if box.nodes[0].is_compute]
    is_mixed = len({node.is_backward for node in computing}) > 1
    notes = ["A frame is a module. An arrow is one or more tensors."]
    notes += ["Dashed frames belong to the backward pass."] if is_mixed else []
    notes += [_SHARED] if any(box.shared for box in boxes) else []
    operators = sum(node.is_compute for box in boxes for node in box.nodes)
    total = ", ".join(filter(None, (labels.count(operators, "operator"), collapsed)))
    picture = new_picture(caption, (total,), colours.legend(), notes)
    _Frames(boxes, colours, roles, is_mixed=is_mixed).add(picture)
    _add_arrows(picture, arrows)
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


def _add_arrows(picture: graphviz.Digraph, arrows: Sequence[Arrow]) -> None:
    for arrow in arrows:
        about = {"tooltip": labels.in_tooltip(arrow_tooltip(arrow.nodes))}
        text = arrow_text(arrow.nodes) if len(arrows) <= _MOST_TEXTS else ""
        if text:
            about["label"] = table([[Cell(text, size=8, colour=style.MUTED)]])
            about["labeltooltip"] = about["tooltip"]
        picture.edge(f"n{arrow.source}", f"n{arrow.target}", **about)
