"""DOT statements of large pictures.

`graphviz.Digraph.node` and `edge` write the same, but go through each text with several patterns:
that was a third of the time that 10,000 nodes take.
"""

from __future__ import annotations

from collections.abc import Iterable

import graphviz
from graphviz.quoting import quote


def add_node(picture: graphviz.Digraph, name: str, label: str, tooltip: str) -> None:
    """Adds a box.

    Args:
        name: Its name, of letters and digits.
        label: An HTML-like label, as `inspector.graphs.drawing.html_table.table` gives it.
        tooltip: As `inspector.graphs.drawing.labels.in_tooltip` gives it.
    """
    picture.body.append(f"\t{name} [label={label} tooltip={_quoted(tooltip)}]\n")


def add_plain_edges(picture: graphviz.Digraph, ends: Iterable[tuple[str, str]]) -> None:
    """Adds arrows without texts, each between two names of letters and digits."""
    picture.body += [f"\t{source} -> {target}\n" for source, target in ends]


def _quoted(text: str) -> str:
    # With a space it is neither a name nor a keyword of DOT; without a backslash no quote in it is
    # escaped yet.
    if " " in text and "\\" not in text and not text.startswith("<"):
        return '"' + text.replace('"', r"\"") + '"'
    return str(quote(text))
