"""Tables as `dot` understands them in a label; all texts are escaped here and nowhere else."""

from __future__ import annotations

import dataclasses

from inspector.features.graph.drawing import style
from inspector.features.graph.drawing.labels import in_label


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """Text of a box.

    Attributes:
        size: Of the letters, in points.
        border: Around the cell, in points, in the colour `edge`.
        sides: Which sides have the border (``t`` is the top); all where it is empty.
        span: How many columns it takes.
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
    span: int = 1
    inner: str = ""


def table(
    rows: list[list[Cell]], look: style.Look | None = None, padding: int = 2, spacing: int = 0
) -> str:
    """An HTML-like label; the last cell of a row takes the columns that are left."""
    columns = max((sum(cell.span for cell in cells) for cells in rows), default=1)
    outer = 'border="0"'
    if look is not None:
        outer = f'border="{look.width}" color="{look.colour}" bgcolor="{look.fill}"'
        outer += f' style="{look.border}"' if look.border != "solid" else ""
    start = f'<table {outer} cellborder="0" cellspacing="{spacing}" cellpadding="{padding}">'
    made = "".join(_row(cells, columns) for cells in rows) or "<tr><td></td></tr>"
    return f"<{start}{made}</table>>"


def _row(cells: list[Cell], columns: int) -> str:
    missing = columns - sum(cell.span for cell in cells)
    *first, last = cells
    texts = [_cell(cell, cell.span) for cell in first]
    return f"<tr>{''.join((*texts, _cell(last, last.span + missing)))}</tr>"


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
