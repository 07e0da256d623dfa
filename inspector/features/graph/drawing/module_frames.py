"""Frames around the operators of each module, one in the other."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence

import graphviz

from inspector.features.graph.drawing import labels, style
from inspector.features.graph.drawing.collapse import Box
from inspector.features.graph.drawing.html_table import Cell, table

# Each module with its class, and whether it is the frame of its backward pass.
_Path = tuple[tuple[str, str, bool], ...]
_Modules = tuple[tuple[str, str], ...]
_FILLS = ("#fafafa", "#f2f2f2")


class ModuleFrames:
    """Draws boxes in the frames of their modules.

    Args:
        is_mixed: Whether both passes are drawn: a module then has a frame for each.
    """

    def __init__(
        self,
        boxes: Sequence[Box],
        add_box: Callable[[graphviz.Digraph, int], None],
        *,
        is_mixed: bool,
    ) -> None:
        self._add_box = add_box
        self._count = 0
        self._places: dict[_Path, list[int]] = collections.defaultdict(list)
        self._inner: dict[_Path, dict[_Path, None]] = collections.defaultdict(dict)
        # Looked up by the modules themselves: thousands of boxes are in a few hundred frames.
        found: dict[tuple[_Modules, bool], list[int]] = {}
        for place, box in enumerate(boxes):
            # The passes are drawn apart: else each frame would reach over the whole picture.
            key = box.modules, is_mixed and box.nodes[0].is_backward
            if key not in found:
                found[key] = self._places[self._framed(key[0], is_backward=key[1])]
            found[key].append(place)

    def _framed(self, modules: _Modules, *, is_backward: bool) -> _Path:
        """The path of the innermost frame, which is there from now on."""
        path: _Path = ()
        for module, kind in modules:
            inner = (*path, (module, kind, is_backward))
            self._inner[path][inner] = None
            path = inner
        return path

    def add(self, picture: graphviz.Digraph, path: _Path = ()) -> None:
        """Draws what is in a frame: all boxes in that of no module."""
        for place in self._places[path]:
            self._add_box(picture, place)
        for inner in self._inner[path]:
            module, kind, is_backward = inner[-1]
            said = labels.module(module, kind) + (", backward" if is_backward else "")
            self._count += 1
            with picture.subgraph(name=f"cluster_{self._count}") as frame:
                frame.attr(
                    label=table([[Cell(said, size=9, colour=style.MUTED)]]),
                    tooltip=labels.in_tooltip([said]),
                    style="filled,dashed" if is_backward else "filled,rounded",
                    fillcolor=_FILLS[len(inner) % len(_FILLS)],
                )
                self.add(frame, inner)
