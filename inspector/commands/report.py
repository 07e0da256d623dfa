"""``inspect report``: everything that is known about a recording, as one HTML page."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import click

from inspector.commands.completion import complete_file
from inspector.commands.options import always_inductor, option_help
from inspector.commands.output import check_place, write_file
from inspector.commands.recording_options import Asked, recording_options
from inspector.costs.cold_start import cold_start
from inspector.errors import UsageError
from inspector.findings.any_report import AnyReport
from inspector.findings.closing import next_steps
from inspector.findings.cold_start import ColdStartReport
from inspector.findings.cuda_graphs_report import make_cuda_graphs_report
from inspector.findings.graph_report import make_graph_report
from inspector.findings.guards_report import make_guards_report
from inspector.findings.kernels_report import make_kernels_report
from inspector.findings.profile_report import make_profile_report
from inspector.findings.report import make_report
from inspector.model.run import Run
from inspector.plugins import load_rules, render_html

_DEFAULT = Path("report.html")


@click.command("report")
@click.argument("target", required=False, shell_complete=complete_file)
@click.option("--profile", is_flag=True, help="Time the kernels too: a minute or two more.")
@click.option("--no-grad", is_flag=True, help="Call the model under torch.no_grad(): inference.")
@click.option("--open/--no-open", "opens", default=None, help="Open the page in the browser.")
@recording_options
def command(target: str | None, asked: Asked, *, opens: bool | None) -> int:
    """Write one HTML page with everything, linked from source line to kernel.

    TARGET is a model (model.py, model.py:name, package.module:name), which is recorded first, or a
    recording (a folder or .zip), a TORCH_TRACE log, or a folder of such logs. Without a TARGET the
    newest recording is read. The page needs no network and no server: send it to somebody.

    \b
    Examples:
      inspect report samples/graph_breaks/model.py
      inspect report samples/bert_base/h200-inference.zip -o bert.html
      inspect report samples/small_cnn/model.py --profile --no-grad
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    output = asked.output or _DEFAULT
    if output.suffix != ".html":
        raise UsageError(f"{output.name} is no HTML file.", "Name one: -o report.html")
    check_place(output)
    asked.check_target(target)
    how = {"backend": "inductor", "guards": True, "graphs": True, "command": "report"}
    with asked.shown(target, explains_recompiles=True, **how) as (run, code):
        write_file(output, lambda stream: render_html(every_report(run), stream))
    sys.stderr.write(f"wrote {output}\n")
    show(output, opens=opens)
    return code


always_inductor(command)
option_help(command, output="The page.  [default: report.html]")


def every_report(run: Run) -> Iterator[AnyReport]:
    """Makes the reports of a run, whose logs must still be there.

    Raises:
        OSError: A log is gone.
    """
    rules = load_rules("run")
    yield make_report(run, rules, next_steps(run))
    yield make_guards_report(run, rules)
    yield ColdStartReport(make_report(run, load_rules("cold-start")), cold_start(run))
    yield make_graph_report(run, "")
    yield make_kernels_report(run, "", load_rules("cpp"), load_rules("code"))
    if any(process.device_profiles for process in run.processes):
        yield make_profile_report(run)
    if any(process.cuda_graphs for process in run.processes):
        about = [rule for rule in rules if rule.id.startswith("cuda-graph")]
        yield make_cuda_graphs_report(run, about)


def show(page: Path, *, opens: bool | None) -> None:
    """Opens a page in the browser; unasked only for somebody at a terminal with a display."""
    has_display = sys.platform != "linux" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    if opens or (opens is None and sys.stdout.isatty() and has_display):
        webbrowser.open(page.resolve().as_uri())
