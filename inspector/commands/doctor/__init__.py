"""``inspect doctor``: what is installed, what is missing for which feature, how to get it."""

from __future__ import annotations

import sys

import click

__all__ = ["command"]


@click.command()
@click.option(
    "--python",
    "interpreter",
    metavar="FILE",
    help="Look at the environment of another interpreter, .venv/bin/python for example.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
def command(interpreter: str | None, form: str) -> None:
    """Say what is installed, what is missing for which feature, and how to get it.

    Works without torch, and never imports it. A diagnosis is no failure: the exit code is 0
    whatever is missing, and 2 only if the interpreter of --python cannot be run.

    \b
    Examples:
      inspect doctor
      inspect doctor --python python3
      inspect doctor --format json
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    from inspector.commands.doctor import checks, show
    from inspector.commands.doctor.environment import look_around

    rows = checks.diagnose(look_around(interpreter))
    if form == "json":
        click.echo(show.as_json(rows))
    else:
        show.print_text(rows, sys.stdout)
