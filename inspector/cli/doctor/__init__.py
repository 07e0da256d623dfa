"""``inspect doctor``: what is installed, what is missing for which feature, how to get it."""

import sys
from collections.abc import Sequence
from typing import IO

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from inspector.capture.internals import USES
from inspector.cli.doctor.checks import Row, State, diagnose
from inspector.cli.doctor.environment import look_around, missing_names

_STYLES = {State.OK: "green", State.MISSING: "yellow", State.NOT_HERE: "dim"}


@click.command()
@click.option(
    "--python",
    "interpreter",
    metavar="FILE",
    help="Check the environment of another interpreter, such as .venv/bin/python.",
)
@click.option(
    "--torch",
    "is_torch",
    is_flag=True,
    help="List the private names of torch and Triton that are used or missing.",
)
def command(interpreter: str | None, *, is_torch: bool) -> None:
    """Check which dependencies are missing, which features need them, and how to install them.

    Works without torch and never imports it. The exit code is 0 even if something is missing, and
    2 only if the interpreter given with --python cannot run.

    \b
    Examples:
      inspect doctor
      inspect doctor --python python3
      inspect doctor --torch
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    if is_torch:
        print_internals(missing_names(interpreter), sys.stdout)
        return
    print_text(diagnose(look_around(interpreter)), sys.stdout)


def print_internals(missing: Sequence[str], file: IO[str]) -> None:
    """Prints what private names are used for, and what is lost where one is missing."""
    names = {name for use in USES for name in use.names}
    file.write(f"{len(names)} private names of torch and Triton are used; {len(missing)} missing\n")
    for use in USES:
        lost = [name for name in use.names if name in missing]
        file.write(f"\n{use.purpose}\n")
        file.writelines(
            f"  {'missing ' if name in lost else ''}{name}\n"
            for name in (*use.names, *use.methods.split())
        )
        if lost:
            file.write(f"  lost: {use.without}\n")


def print_text(rows: Sequence[Row], file: IO[str]) -> None:
    """Prints a table, and below it how to get what is missing, unwrapped, so that it is copied."""
    console = Console(file=file, highlight=False)
    with console.capture() as capture:
        console.print(_table(rows))
        _print_fixes(console, [row for row in rows if row.fix])
    # rich pads every line to the width of the table, which a diff or a paste would show.
    file.writelines(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _print_fixes(console: Console, wanted: Sequence[Row]) -> None:
    if wanted:
        console.print(Text("\nInstall what is missing:", style="bold"))
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
        state = Text(row.state, style=_STYLES.get(row.state, "red"))
        table.add_row(Text(row.name), state, Text(row.found or "-"), Text(row.purpose))
    return table
