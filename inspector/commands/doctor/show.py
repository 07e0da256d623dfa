"""Shows a diagnosis, for a person or for a program."""

from __future__ import annotations

from dataclasses import asdict
from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from inspector.commands.doctor.checks import Row, State
from inspector.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMAT_VERSION = 1
STYLES = {State.OK: "green", State.MISSING: "yellow", State.NOT_HERE: "dim"}
WRONG = "red"


def as_json(rows: Sequence[Row]) -> str:
    """Returns ``{"format_version", "version", "rows": [{"name", "state", "found", …}]}``."""
    import json

    report = {
        "format_version": FORMAT_VERSION,
        "version": __version__,
        "rows": [asdict(row) for row in rows],
    }
    return json.dumps(report, indent=2)


def print_text(rows: Sequence[Row], file: IO[str]) -> None:
    """Prints a table, and below it how to get what is missing.

    The commands stand on lines of their own, unwrapped, so that they can be copied.
    """
    console = Console(file=file, highlight=False)
    with console.capture() as capture:
        console.print(_table(rows))
        _print_fixes(console, [row for row in rows if row.fix])
    # rich pads every line to the width of the table, which a diff or a paste would show.
    file.writelines(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _print_fixes(console: Console, wanted: Sequence[Row]) -> None:
    if wanted:
        console.print(Text("\nTo get what is missing:", style="bold"))
    for row in wanted:
        console.print(Text(f"  {row.name}"))
        console.print(Text(f"    {row.fix}", style="cyan"), soft_wrap=True)


def _table(rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("found", overflow="fold", ratio=3)
    table.add_column("needed for", overflow="fold", ratio=2)
    for row in rows:
        state = Text(row.state, style=STYLES.get(row.state, WRONG))
        table.add_row(Text(row.name), state, Text(row.found or "-"), Text(row.purpose))
    return table
