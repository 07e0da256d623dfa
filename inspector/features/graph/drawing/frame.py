"""What every picture has over it: a caption and a legend."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from inspector.features.graph.drawing import style
from inspector.features.graph.drawing.html_table import Cell, table
from inspector.features.graph.drawing.labels import in_tooltip
from inspector.features.graph.drawing.options import Caption

_IN_A_ROW = 4


def new_picture(
    caption: Caption, totals: Sequence[str], looks: Sequence[style.Look], notes: Sequence[str]
) -> graphviz.Digraph:
    """An empty picture with its caption and its legend."""
    title = " · ".join(filter(None, (caption.model, caption.stage))) or "graph"
    version = f"torch {caption.torch_version}" if caption.torch_version else ""
    where = " · ".join(filter(None, (caption.device, version)))
    rows = [[Cell(title, bold=True, size=14)]]
    rows += [[Cell(where, size=10, colour=style.MUTED)]] if where else []
    rows += [[Cell(text, size=11)] for text in totals if text]
    # It stands in the caption and not among the boxes, which would be pushed apart.
    rows += [[Cell("", inner=_legend(looks, notes))]]
    picture = graphviz.Digraph("picture")
    picture.attr("graph", **style.GRAPH, label=table(rows), tooltip=in_tooltip([title]))
    picture.attr("node", **style.NODES)
    picture.attr("edge", **style.EDGES)
    return picture


def _legend(looks: Sequence[style.Look], notes: Sequence[str]) -> str:
    samples = [
        Cell(
            f" {look.word} ", size=9, fill=look.fill, align="center",
            border=look.width, edge=look.colour, line=look.border,
        )
        for look in looks
    ]  # fmt: skip
    samples += [Cell("")] * (-len(samples) % min(_IN_A_ROW, max(len(samples), 1)))
    rows = [[Cell("legend", size=9, colour=style.MUTED)]]
    rows += [samples[at : at + _IN_A_ROW] for at in range(0, len(samples), _IN_A_ROW)]
    rows += [[Cell(note, size=9, colour=style.MUTED)] for note in notes]
    return table(rows, style.Look("", "#d0d0d0", "white", "rounded"), padding=2, spacing=3)
