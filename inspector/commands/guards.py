"""``inspect guards``: what is assumed, because of which line, at what price; what comes next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from inspector import plugins
from inspector.commands.completion import complete_file
from inspector.commands.options import output_options, process_options, target_options
from inspector.commands.output import check_output, write_report
from inspector.commands.precheck import check_file
from inspector.commands.record import Settings, record
from inspector.commands.target import existing, is_model, refuse_options, say_which
from inspector.findings.cuda_graphs_report import CudaGraphsReport, make_cuda_graphs_report
from inspector.findings.guards_report import GuardsReport, make_guards_report
from inspector.findings.rule import Rule
from inspector.model.input_parser import parse_inputs
from inspector.model.request import Request
from inspector.model.run import Run
from inspector.sources.recording import opened, read_run

__all__ = ["command"]

_RULES = frozenset({"guard-cost"})
_CUDA_GRAPH_RULES = "cuda-graph-"
_Maker: TypeAlias = Callable[[Run], GuardsReport | CudaGraphsReport]


@click.command("guards")
@click.argument("target", required=False, shell_complete=complete_file)
@target_options
@process_options
@output_options
@click.option(
    "--cudagraphs",
    "cuda_graphs",
    is_flag=True,
    help="Show CUDA graphs instead: captures, skips, copies, share of calls that replay. A model "
    "is moved to the GPU and compiled with Inductor and mode reduce-overhead, unless others are "
    "named.",
)
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    target: str | None,
    output: Path | None,
    format_: str | None,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    no_progress: bool,
    cuda_graphs: bool,
    **asked: Any,  # noqa: ANN401 - the options of a Request, typed there
) -> int:
    """Show what is assumed, at what price, and what recompiles next.

    TARGET is a model (model.py, model.py:name, package.module:name), which is recorded first, or a
    recording (a folder or .zip), a TORCH_TRACE log, or a folder of such logs. Without a TARGET the
    newest recording is read.

    \b
    Examples:
      inspect guards samples/small_cnn/model.py
      inspect guards model.py:Net --input 'f32[8,3,224,224]' --backend inductor
      inspect guards model.py --cudagraphs
      inspect guards .inspector/7 -o guards.md
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    check_output(output, format_)
    # dynamic=False was asked for; a flag that is False was not.
    unasked = {name for name in ("train", "fullgraph") if not asked[name]}
    unasked |= {"measure"} if asked["measure"] else set()
    given = {k: v for k, v in asked.items() if v is not None and v != () and k not in unasked}
    parse_inputs(given.get("inputs", ()))
    report_of = _cuda_graphs if cuda_graphs else _guards
    if target is not None and is_model(target):
        if python is None:
            check_file(target)
        settings = Settings(
            python=python,
            timeout_seconds=timeout,
            save=save,
            progress=not no_progress,
            own_stdout=output is not None and format_ is None,
            fresh_caches=True,
        )
        if cuda_graphs:
            given.setdefault("device", "cuda")
            given.setdefault("backend", "inductor")
        if cuda_graphs and given["backend"] == "inductor":
            given.setdefault("mode", "reduce-overhead")
        request = Request(target, guards=not cuda_graphs, **given)
        report, code = _recorded(request, settings, report_of)
    else:
        refuse_options({**given, "python": python, "timeout": timeout, "save": save})
        report, code = _read(target, report_of), 0
    write_report(report, output, format_)
    return code


def _recorded(
    request: Request, settings: Settings, report_of: _Maker
) -> tuple[GuardsReport | CudaGraphsReport, int]:
    arguments = ("explain", request.to_json())
    recorded = record(arguments, request.target, request.asked, settings)
    if recorded.place.is_dir():
        return report_of(recorded.run), recorded.exit_code
    # Trees are read from the logs, which are in the .zip by now.
    with opened(recorded.place) as recording:
        return report_of(read_run(recording)), recorded.exit_code


def _read(target: str | None, report_of: _Maker) -> GuardsReport | CudaGraphsReport:
    with opened(existing(target)) as recording:
        run = read_run(recording)
        say_which(run, target)
        return report_of(run)


def _guards(run: Run) -> GuardsReport:
    return make_guards_report(run, [rule for rule in _rules() if rule.id in _RULES])


def _cuda_graphs(run: Run) -> CudaGraphsReport:
    about = [rule for rule in _rules() if rule.id.startswith(_CUDA_GRAPH_RULES)]
    return make_cuda_graphs_report(run, about)


def _rules() -> list[Rule]:
    return [module.RULE for module in plugins.load_analyses()]
