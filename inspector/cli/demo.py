"""``inspect demo``: a finished page, without torch, a GPU or a model."""

import importlib.resources
import sys
from pathlib import Path

import click

from inspector.cli.grouped import Command
from inspector.cli.output import check_place, write_file
from inspector.cli.report import every_report, show
from inspector.plugins import render_html
from inspector.run.sources.recording import opened, read_run

_RECORDING = "h200-inference.zip"


@click.command("demo", cls=Command)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    default=Path("demo.html"), show_default=True, help="Write the page to this file.",
)  # fmt: skip
@click.option("--open/--no-open", "opens", default=None, help="Open the page in the browser.")
def command(output: Path, *, opens: bool | None) -> int:
    """Write the HTML report of a sample model with graph breaks, recorded on an H200.

    \b
    Example:
      inspect demo
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    check_place(output)
    found = importlib.resources.files("inspector.render.html") / _RECORDING
    if not found.is_file():  # in a checkout
        found = Path(__file__).parents[2] / "samples" / "graph_breaks" / _RECORDING
    with importlib.resources.as_file(found) as file, opened(file) as recording:
        run = read_run(recording, keep_spans=True)
        write_file(output, lambda stream: render_html(every_report(run), stream))
    sys.stderr.write(f"wrote {output}\n")
    show(output, opens=opens)
    return 0
