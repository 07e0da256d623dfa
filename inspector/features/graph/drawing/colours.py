"""What colour a box has, and what the legend says about it."""

import collections
import dataclasses
from collections.abc import Sequence

from inspector.features.graph.drawing import labels, style
from inspector.features.graph.drawing.collapse import Box
from inspector.features.graph.drawing.options import matches
from inspector.features.graph.drawing.roles import Roles
from inspector.shared.dtypes import find_dtype

_INPUT = style.Look("input", "#666666", "#ffffff", "dashed")
_PARAMETER = style.Look("parameter", "#666666", "#ffffff", "dotted")
_OUTPUT = style.Look("output", "#1a1a1a", "#e4e4e4", width=2)
_SAVED = style.Look("saved for the backward pass", "#1a1a1a", "#ffffff", width=3)
_MARKED = 4


class Colours:
    """Knows the boxes of a picture."""

    def __init__(self, boxes: Sequence[Box], roles: Roles, around: str = "") -> None:
        self._roles = roles
        self._around = around
        self._boxes = boxes
        places = [n for n, box in enumerate(boxes) if box.nodes[0].is_compute]
        plain = [boxes[n] for n in places]
        words, self._looks = _dtypes(plain)
        self._words = dict(zip(places, words, strict=True))

    def look(self, place: int) -> style.Look:
        """How the box at a place is drawn."""
        look = self._plain_look(place)
        if not self._is_marked(place):
            return look
        return dataclasses.replace(look, colour=style.INK, border="solid", width=_MARKED)

    def _plain_look(self, place: int) -> style.Look:
        node = self._boxes[place].nodes[0]
        if node.op == "output":
            return _OUTPUT
        if not node.is_compute:
            is_parameter = node.op == "get_attr" or node.name in self._roles.parameters
            return _PARAMETER if is_parameter else _INPUT
        found = self._looks[self._words[place]]
        return dataclasses.replace(found, width=_SAVED.width) if self._is_saved(place) else found

    def legend(self) -> list[style.Look]:
        """What is in the picture, each kind once."""
        used = set(self._words.values())
        looks = [look for word, look in self._looks.items() if word in used]
        looks += [_SAVED] if any(map(self._is_saved, self._words)) else []
        if any(map(self._is_marked, range(len(self._boxes)))):
            word = labels.elided(f"matches {self._around}", 28)
            looks.append(style.Look(word, style.INK, "#ffffff", width=_MARKED))
        others = (n for n in range(len(self._boxes)) if n not in self._words)
        return looks + list(dict.fromkeys(map(self._plain_look, others)))

    def _is_marked(self, place: int) -> bool:
        nodes = self._boxes[place].nodes
        return bool(self._around) and any(matches(node, self._around) for node in nodes)

    def _is_saved(self, place: int) -> bool:
        nodes = self._boxes[place].nodes
        return any(node.is_saved or node.name in self._roles.saved for node in nodes)


def _dtypes(boxes: Sequence[Box]) -> tuple[list[str], dict[str, style.Look]]:
    """Of what the last node with a tensor gives; the most frequent have colours of their own."""
    words = []
    for box in boxes:
        names = [node.tensors[0].dtype for node in box.nodes if node.tensors]
        dtype = find_dtype(names[-1]) if names else None
        words.append(dtype.name if dtype else (names and names[-1]) or "no tensor")
    found = [name for name, _ in collections.Counter(words).most_common()]
    *first, rest = style.SERIES
    named = found if len(found) <= len(first) + 1 else found[: len(first)]
    looks = {
        name: style.Look(labels.elided(name, 28), *colours)
        for name, colours in zip(named, style.SERIES, strict=False)
    }
    looks.setdefault("others", style.Look("others", *rest))
    return [word if word in looks else "others" for word in words], looks
