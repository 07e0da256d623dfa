"""One palette and one hand for all pictures.

The colours are those of Okabe and Ito ("Color Universal Design", jfly.uni-koeln.de/color, 2008),
which people with any colour vision tell apart. None stands alone: a word and a border say the same,
for those who print in black and white.
"""

import dataclasses

FONT = "Helvetica,Arial,sans-serif"
INK = "#1a1a1a"
MUTED = "#555555"
EDGE = "#4d4d4d"


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """How one kind of thing is drawn.

    Attributes:
        fill: Of the inside, light enough for black text.
        border: ``solid``, ``dashed`` or ``dotted``.
        width: Of the border, in points.
    """

    word: str
    colour: str
    fill: str
    border: str = "solid"
    width: int = 1


KINDS: dict[str, Look] = {
    "pointwise": Look("pointwise", "#3b93c4", "#d6ecf9"),
    "reduction": Look("reduction", "#b87f00", "#fae3b5", "dashed", 2),
    "template": Look("template", "#007a59", "#bfe6d9", width=3),
    "foreach": Look("foreach", "#a89c00", "#fbf7c4", "dashed"),
    "extern": Look("library call", "#0072b2", "#bcd9ea", width=2),
    "fallback": Look("ATen fallback", "#d55e00", "#f6d3b8", "dotted", 2),
    "custom": Look("custom operator", "#a8467c", "#f1d6e4", "dotted", 2),
    "collective": Look("collective", "#d55e00", "#f6d3b8", "dashed", 2),
    "higher_order": Look("higher-order operator", "#666666", "#e4e4e4", width=2),
    "user_kernel": Look("user kernel", "#a8467c", "#f1d6e4", "dashed", 3),
}
"""By `inspector.features.graph.fusion.Step.call_kind`."""

GRAPH = {
    "rankdir": "TB",
    # Else the modules of a frame stand side by side if what joins them is outside of the frame.
    "newrank": "true",
    "fontname": FONT,
    "fontsize": "12",
    "fontcolor": INK,
    "labelloc": "t",
    "labeljust": "l",
    "nodesep": "0.22",
    "ranksep": "0.32",
    "pad": "0.2",
    "bgcolor": "white",
    "style": "rounded",
    "color": "#b0b0b0",
}
NODES = {
    "fontname": FONT,
    "fontsize": "10",
    "fontcolor": INK,
    "shape": "plain",
    "margin": "0.08,0.05",
}
EDGES = {
    "fontname": FONT,
    "fontsize": "8",
    "fontcolor": MUTED,
    "color": EDGE,
    "arrowsize": "0.6",
    "penwidth": "1",
}


def look_of(kind: str) -> Look:
    """The look of a kind of kernel; one that a newer torch may have is grey under its own name."""
    return KINDS.get(kind) or Look(kind or "other", "#666666", "#e4e4e4", "dotted")
