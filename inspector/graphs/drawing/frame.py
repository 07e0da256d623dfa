"""What every picture has around it: a caption and a legend."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz
import networkx as nx

from inspector.graphs.drawing import style
from inspector.graphs.drawing.html_table import Cell, table
from inspector.graphs.drawing.labels import in_tooltip
from inspector.graphs.drawing.options import Caption

__all__ = ["add_legend", "new_picture"]

_LEGEND = "legend"
_IN_A_ROW = 4


def new_picture(caption: Caption, totals: Sequence[str] = ()) -> graphviz.Digraph:
    """An empty picture with its caption.

    Args:
        caption: What is drawn.
        totals: Lines below it.
    """
    title = " · ".join(filter(None, (caption.model, caption.stage))) or "graph"
    version = f"torch {caption.torch_version}" if caption.torch_version else ""
    where = " · ".join(filter(None, (caption.device, version)))
    rows = [[Cell(title, bold=True, size=14)]]
    rows += [[Cell(where, size=10, colour=style.MUTED)]] if where else []
    rows += [[Cell(text, size=11)] for text in (*totals, caption.note) if text]
    picture = graphviz.Digraph("picture")
    picture.attr("graph", **style.GRAPH, label=table(rows), tooltip=in_tooltip([title]))
    picture.attr("node", **style.NODES)
    picture.attr("edge", **style.EDGES)
    return picture


def add_legend(
    picture: graphviz.Digraph,
    looks: Sequence[style.Look],
    notes: Sequence[str],
    arrows: nx.DiGraph,
) -> None:
    """Puts a legend over a picture.

    Args:
        picture: The picture.
        looks: What the borders and fills mean.
        notes: What else is to be known.
        arrows: Ids of all boxes, and what arrows join; the legend stands over those boxes that
            nothing stands over.
    """
    samples = [
        Cell(
            f" {look.word} ", size=9, fill=look.fill, align="center",
            border=look.width, edge=look.colour, line=look.border,
        )
        for look in looks
    ]  # fmt: skip
    samples += [Cell("")] * (-len(samples) % min(_IN_A_ROW, max(len(samples), 1)))
    rows = [samples[at : at + _IN_A_ROW] for at in range(0, len(samples), _IN_A_ROW)]
    rows += [[Cell(note, size=9, colour=style.MUTED)] for note in notes]
    with picture.subgraph(name="cluster_legend") as cluster:
        cluster.attr(label="legend", fontsize="9", fontcolor=style.MUTED, style="rounded",
                     color="#d0d0d0", margin="4", tooltip="legend")  # fmt: skip
        cluster.node(_LEGEND, label=table(rows, padding=2, spacing=3), tooltip="legend")
    for number, name in enumerate(_sources(arrows)):
        # But for the first without weight: a box that is needed late stands near what needs it.
        picture.edge(_LEGEND, name, style="invis", weight=str(int(number == 0)))


def _sources(arrows: nx.DiGraph) -> list[str]:
    """What nothing stands over, the one with most below it first."""
    sources = [str(name) for name, degree in arrows.in_degree() if degree == 0]
    below: dict[str, int] = {}
    for number, names in enumerate(nx.topological_generations(arrows.reverse(copy=False))):
        below.update(dict.fromkeys(names, number))
    return sorted(sources, key=lambda name: -below[name])
