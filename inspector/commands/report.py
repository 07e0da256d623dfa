"""``inspect report``: everything that is known about a recording, as one HTML page."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file
from inspector.commands.everything import every_report
from inspector.commands.options import (
    always_inductor,
    check_gpu,
    check_grad,
    given_options,
    process_options,
    target_options,
)
from inspector.commands.output import check_place, write_file
from inspector.commands.record import Settings
from inspector.commands.target import check_target, shown_run
from inspector.errors import UsageError
from inspector.model.request import Request
from inspector.plugins import render_html

_DEFAULT = Path("report.html")


@click.command("report")
@click.argument("target", required=False, shell_complete=complete_file)
@click.option("--profile", is_flag=True, help="Time the kernels too: a minute or two more.")
@click.option(
    "--no-grad", is_flag=True, help="Call the model under torch.no_grad(): inference."
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    default=_DEFAULT, show_default=True, help="The page.",
)  # fmt: skip
@click.option("--open/--no-open", "opens", default=None, help="Open it in the browser, or do not.")
@click.option("--no-progress", is_flag=True, help="Show no progress while recording.")
@target_options
@process_options
def command(  # noqa: PLR0913 - one parameter per option
    target: str | None,
    output: Path,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    opens: bool | None,
    no_progress: bool,
    **asked: Any,  # noqa: ANN401 - the options of a Request, typed there
) -> int:
    """Write one HTML page with everything, linked from source line to kernel.

    TARGET is a model (model.py, model.py:name, package.module:name), which is recorded first, or a
    recording (a folder or .zip), a TORCH_TRACE log, or a folder of such logs. Without a TARGET the
    newest recording is read. The page needs no network and no server: send it to somebody.

    \b
    Examples:
      inspect report samples/graph_breaks/model.py
      inspect report samples/bert_base/h200-inference.zip -o bert.html
      inspect report model.py --profile --no-grad
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    if output.suffix != ".html":
        raise UsageError(f"{output.name} is no HTML file.", "Name one: -o report.html")
    check_place(output)
    given = given_options(asked)
    check_target(target, python, {**given, "python": python, "timeout": timeout, "save": save})
    settings = Settings.of_view(
        python, timeout, save, no_progress=no_progress, output=output, format_=None
    )
    with shown_run(
        target, lambda model: _request(model, given), settings, explains_recompiles=True
    ) as (run, code):
        write_file(output, lambda stream: render_html(every_report(run), stream))
    sys.stderr.write(f"wrote {output}\n")
    show(output, opens=opens)
    return code


always_inductor(command)


def _request(target: str, given: dict[str, Any]) -> Request:
    check_grad(given)
    check_gpu(given, None)
    how = {"backend": "inductor", "guards": True, "graphs": True, "command": "report"}
    return Request(target, **{**how, **given})


def show(page: Path, *, opens: bool | None) -> None:
    """Opens a page in the browser; by default only for somebody at a terminal with a display."""
    has_display = sys.platform != "linux" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    if opens or (opens is None and sys.stdout.isatty() and has_display):
        webbrowser.open(page.resolve().as_uri())
