"""The graph of one stage: operators in the frames of their modules, or modules as boxes."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from inspector.features.graph.drawing import labels, style
from inspector.features.graph.drawing.collapse import Box, make_boxes
from inspector.features.graph.drawing.colours import Colours
from inspector.features.graph.drawing.frame import new_picture
from inspector.features.graph.drawing.html_table import Cell, table
from inspector.features.graph.drawing.module_frames import ModuleFrames
from inspector.features.graph.drawing.options import Caption, Drawing
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
_SHARED = "What many boxes read (a mask, say) has an arrow to the first; at others it is named."


def stage_dot(
    graph: Graph, caption: Caption, options: Drawing | None = None, roles: Roles | None = None
) -> str:
    """Draws the graph of a stage.

    Raises:
        UsageError: It would be over 2,000 boxes, and is not forced.
    """
    options = options or Drawing()
    roles = roles or make_roles(graph)
    boxes, said = make_boxes(graph, options)
    boxes, arrows = wire(boxes, graph, roles, is_collapsed=bool(said))
    return _Picture(boxes, arrows, options, roles).draw(caption, said)


class _Picture:
    def __init__(
        self, boxes: Sequence[Box], arrows: Sequence[Arrow], options: Drawing, roles: Roles
    ) -> None:
        self._boxes = boxes
        self._arrows = arrows
        self._roles = roles
        self._colours = Colours(boxes, options.colour, roles, options.around)

    def draw(self, caption: Caption, said: str) -> str:
        notes = ["A frame is a module; an arrow is one tensor or several."]
        notes += ["Dashed frames belong to the backward pass."] if self._is_mixed() else []
        notes += [_SHARED] if any(box.shared for box in self._boxes) else []
        picture = new_picture(caption, (self._counts(said),), self._colours.legend(), notes)
        ModuleFrames(self._boxes, self._add_box, is_mixed=self._is_mixed()).add(picture)
        self._add_arrows(picture)
        return str(picture.source)

    def _is_mixed(self) -> bool:
        """Whether both passes are drawn: a module then has a frame for each."""
        passes = {box.nodes[0].is_backward for box in self._boxes if box.nodes[0].is_compute}
        return len(passes) > 1

    def _counts(self, said: str) -> str:
        operators = sum(node.is_compute for box in self._boxes for node in box.nodes)
        return ", ".join(filter(None, (labels.count(operators, "operator"), said)))

    def _add_box(self, picture: graphviz.Digraph, place: int) -> None:
        box = self._boxes[place]
        label = box_label(box, self._colours.look(place), self._roles)
        picture.node(f"n{place}", label=label, tooltip=labels.in_tooltip(box_tooltip(box)))

    def _add_arrows(self, picture: graphviz.Digraph) -> None:
        for arrow in self._arrows:
            about = {"tooltip": labels.in_tooltip(arrow_tooltip(arrow.nodes))}
            said = arrow_text(arrow.nodes) if len(self._arrows) <= _MOST_TEXTS else ""
            if said:
                about["label"] = table([[Cell(said, size=8, colour=style.MUTED)]])
                about["labeltooltip"] = about["tooltip"]
            picture.edge(f"n{arrow.source}", f"n{arrow.target}", **about)
