"""``inspect guards``: what is assumed, because of which line, at what price; what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from inspector import plugins
from inspector.commands.completion import complete_file
from inspector.commands.recording_options import Asked, recording_options
from inspector.commands.target import shown_run
from inspector.findings.cuda_graphs_report import CudaGraphsReport, make_cuda_graphs_report
from inspector.findings.guards_report import GuardsReport, make_guards_report
from inspector.model.request import Request
from inspector.model.run import Run

_RULES = frozenset({"guard-cost"})
_CUDA_GRAPH_RULES = "cuda-graph-"


@click.command("guards")
@click.argument("target", required=False, shell_complete=complete_file)
@recording_options
@click.option(
    "--cudagraphs",
    "cuda_graphs",
    is_flag=True,
    help="Show CUDA graphs instead: captures, skips, copies, share of calls that replay. A model "
    "is moved to the GPU and compiled with Inductor and mode reduce-overhead, unless others are "
    "named.",
)
def command(target: str | None, asked: Asked, *, cuda_graphs: bool) -> int:
    """Show what is assumed, at what price, and what recompiles next.

    TARGET is a model (model.py, model.py:name, package.module:name), which is recorded first, or a
    recording (a folder or .zip), a TORCH_TRACE log, or a folder of such logs. Without a TARGET the
    newest recording is read.

    \b
    Examples:
      inspect guards samples/small_cnn/model.py
      inspect guards samples/small_cnn/model.py:SmallCNN --input 'f32[8,3,224,224]' --train
      inspect guards samples/recompiles/recording.zip -o guards.md
      inspect guards samples/resnet50/h200-graphs.zip --cudagraphs
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    asked.check(target)
    request, report_of = (
        (_cuda_graphs_request, _cuda_graphs) if cuda_graphs else (_guards_request, _guards)
    )
    with shown_run(
        target, lambda model: request(model, asked.given), asked.settings, explains_recompiles=True
    ) as (run, code):
        report = report_of(run)
    asked.write(report)
    return code


def _guards_request(target: str, given: Mapping[str, Any]) -> Request:
    return Request(target, guards=True, **given)


def _cuda_graphs_request(target: str, given: Mapping[str, Any]) -> Request:
    how = {"device": "cuda", "backend": "inductor", **given}
    if how["backend"] == "inductor":
        how.setdefault("mode", "reduce-overhead")
    return Request(target, **how)


def _guards(run: Run) -> GuardsReport:
    return make_guards_report(
        run, [rule for rule in plugins.load_rules("run") if rule.id in _RULES]
    )


def _cuda_graphs(run: Run) -> CudaGraphsReport:
    about = [rule for rule in plugins.load_rules("run") if rule.id.startswith(_CUDA_GRAPH_RULES)]
    return make_cuda_graphs_report(run, about)
