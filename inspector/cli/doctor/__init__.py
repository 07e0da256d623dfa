"""``inspect doctor``: what is installed, what is missing for which feature, how to get it."""

import sys
from collections.abc import Sequence
from typing import IO

import click

from inspector.capture.internals import USES
from inspector.cli.doctor.checks import Row, diagnose
from inspector.cli.doctor.environment import look_around, missing_names
from inspector.render.terminal import render
from inspector.report.page import Code, Column, Page, Section, Table


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
    render(page_of(diagnose(look_around(interpreter))), sys.stdout)


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


def page_of(rows: Sequence[Row]) -> Page:
    """What there is, and below it how to get what is missing, on lines to be copied."""
    columns = (Column(""), Column("state"), Column("found"))
    cells = [(row.name, row.state.value, row.found or "-") for row in rows]
    fixes = [f"# {row.name}, for {row.purpose}\n{row.fix}" for row in rows if row.fix]
    code = [Code("\n".join(fixes), "sh")] if fixes else []
    sections = (
        Section("", [Table(columns, cells, limit=len(cells))]),
        Section("Install what is missing", code),
    )
    return Page("environment", "", sections=sections)
