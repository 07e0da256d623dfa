"""``inspect report``: everything that is known about a recording, as one HTML page."""

import functools
import os
import sys
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from inspector.cli.grouped import Command
from inspector.cli.kernel_builds import compiled_if_possible
from inspector.cli.options import always_inductor, compile_option, no_grad_option, option_help
from inspector.cli.output import check_place, write_file
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.target import is_model
from inspector.errors import UsageError
from inspector.features.compile_time.cold_start import cold_start
from inspector.features.compile_time.report import ColdStartReport
from inspector.features.cuda_graphs.report import make_cuda_graphs_report
from inspector.features.graph.report import make_graph_report, make_passes_report
from inspector.features.guards.report import make_guards_report
from inspector.features.kernels.kernels_compiled import not_compiled
from inspector.features.kernels.report import KernelsReport, make_kernels_report
from inspector.features.overview.run_summary import next_steps
from inspector.features.profile.report import make_profile_report
from inspector.plugins import load_rules, render_html
from inspector.records.device_profile import DeviceProfile
from inspector.report.report import make_report
from inspector.run.run import Run

_DEFAULT = Path("report.html")


@click.command("report", cls=Command)
@click.argument("target", required=False, type=click.Path())
@click.option(
    "--profile", is_flag=True, help="Also time the kernels, which takes another minute or two."
)
@no_grad_option
@compile_option
@click.option("--open/--no-open", "opens", default=None, help="Open the page in the browser.")
@recording_options
def command(target: str | None, asked: Asked, *, compiles: bool | None, opens: bool | None) -> int:
    """Write one HTML page with the full report and links from source lines to kernels.

    TARGET is a model (model.py, model.py:name, package.module:name), a recording, a TORCH_TRACE log
    or a folder of logs; by default the newest recording. The page needs no network and no server.

    \b
    Examples:
      inspect report samples/graph_breaks/model.py
      inspect report samples/bert_base/h200-inference.zip -o bert.html
      inspect report samples/small_cnn/model.py --profile --no-grad
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    output = asked.output or _DEFAULT
    if output.suffix != ".html":
        raise UsageError(f"{output.name} is not an HTML file.", "Name one: -o report.html")
    check_place(output)
    asked.check(target)
    is_wanted = compiles if compiles is not None else is_model(target)
    compiled = functools.partial(compiled_if_possible, python=asked.python, progress=asked.progress)
    how: dict[str, Any] = {"backend": "inductor", "guards": True, "graphs": True}
    with asked.shown(target, is_whole=True, command="report", **how) as (run, code):
        reports = every_report(run, compiled if is_wanted else not_compiled)
        write_file(output, lambda stream: render_html(reports, stream))
    sys.stderr.write(f"wrote {output}\n")
    show(output, opens=opens)
    return code


always_inductor(command)
option_help(command, output="The page.  [default: report.html]")


def every_report(
    run: Run, compiled: Callable[[KernelsReport], KernelsReport] = not_compiled
) -> Iterator[object]:
    """Makes the reports of a run, whose logs must still be there.

    Args:
        compiled: Compiles the kernels of a report, or says that nobody did.
    """
    rules = load_rules("run")
    yield make_report(run, rules, next_steps(run))
    yield make_guards_report(run, rules)
    yield ColdStartReport(make_report(run, load_rules("cold-start")), cold_start(run))
    yield make_graph_report(run, "")
    passes = make_passes_report(run)
    if passes.graphs or passes.vllm:
        yield passes
    yield compiled(make_kernels_report(run, "", load_rules("cpp"), load_rules("code")))
    if any(process.stored.get(DeviceProfile) for process in run.processes):
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
