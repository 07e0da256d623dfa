"""Tables as `dot` understands them in a label, and what every picture has over it.

All texts are escaped here and nowhere else.
"""

import dataclasses
from collections.abc import Sequence

import graphviz

from inspector.features.graph.drawing import style
from inspector.features.graph.drawing.labels import in_label, in_tooltip
from inspector.features.graph.drawing.options import Caption

_IN_A_ROW = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """Text of a box.

    Attributes:
        size: Of the letters, in points.
        border: Around the cell, in points, in the colour `edge`.
        sides: Which sides have the border (``t`` is the top); all where it is empty.
        inner: A table that stands in it instead of a text, as `table` gives it.
    """

    text: str
    bold: bool = False
    size: int = 10
    colour: str = style.INK
    fill: str = ""
    align: str = "left"
    border: int = 0
    edge: str = ""
    line: str = ""
    sides: str = ""
    inner: str = ""


def table(
    rows: list[list[Cell]], look: style.Look | None = None, padding: int = 2, spacing: int = 0
) -> str:
    """An HTML-like label; the last cell of a row takes the columns that are left."""
    columns = max(map(len, rows), default=1)
    outer = 'border="0"'
    if look is not None:
        outer = f'border="{look.width}" color="{look.colour}" bgcolor="{look.fill}"'
        outer += f' style="{look.border}"' if look.border != "solid" else ""
    start = f'<table {outer} cellborder="0" cellspacing="{spacing}" cellpadding="{padding}">'
    made = ""
    for *first, last in rows:
        cells = "".join(_cell(cell, 1) for cell in first) + _cell(last, columns - len(first))
        made += f"<tr>{cells}</tr>"
    return f"<{start}{made or '<tr><td></td></tr>'}</table>>"


def _cell(cell: Cell, span: int) -> str:
    attributes = f'align="{cell.align}"'
    attributes += f' colspan="{span}"' if span > 1 else ""
    attributes += f' bgcolor="{cell.fill}"' if cell.fill else ""
    attributes += f' border="{cell.border}" color="{cell.edge}"' if cell.border else ""
    attributes += f' style="{cell.line}"' if cell.line else ""
    attributes += f' sides="{cell.sides}"' if cell.sides else ""
    if cell.inner:
        return f"<td {attributes}>{cell.inner[1:-1]}</td>"
    # A space at both ends: `dot` measures some fonts a little too small.
    text = in_label(f" {cell.text} " if cell.text else "")
    if not text:
        return f"<td {attributes}></td>"
    shown = f"<b>{text}</b>" if cell.bold else text
    font = f'<font point-size="{cell.size}" color="{cell.colour}">{shown}</font>'
    return f"<td {attributes}>{font}</td>"


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
