"""``inspect graph``: the graphs of every stage, and what was fused."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file, complete_gpu
from inspector.commands.options import output_options, process_options, target_options
from inspector.commands.output import check_output, write_report
from inspector.commands.precheck import check_file
from inspector.commands.record import Settings, record
from inspector.commands.target import existing, is_model, refuse_options, say_which
from inspector.errors import UsageError
from inspector.findings.graph_report import FUSION, GraphReport, make_graph_report
from inspector.model.gpu_table import known_gpu
from inspector.model.graph import Stage
from inspector.model.input_parser import parse_inputs
from inspector.model.request import Request
from inspector.sources.recording import opened, read_run

__all__ = ["command"]

_STAGES = (*(stage.value for stage in Stage), FUSION)
_UNASKED = ("train", "fullgraph", "no_grad", "fake")


@click.command("graph")
@click.argument("target", required=False, shell_complete=complete_file)
@click.option(
    "--stage", type=click.Choice(_STAGES), default=FUSION, show_default=True,
    help="Which graph: fusion shows which operators became which kernel.",
)  # fmt: skip
@click.option("--graph", "graph", metavar="ID", default="", help="Only this compilation: 0/0.")
@click.option(
    "--gpu", metavar="NAME", shell_complete=complete_gpu,
    help="Generate code for this GPU, which need not be here: h200, a100, sm_90.",
)  # fmt: skip
@click.option(
    "--no-grad", is_flag=True,
    help="Call the model under torch.no_grad(): the graphs of inference.",
)  # fmt: skip
@click.option(
    "--fake", is_flag=True,
    help="With --gpu: give large tensors no memory and run nothing, for a model of any size.",
)  # fmt: skip
@target_options
@process_options
@output_options
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    target: str | None,
    stage: str,
    graph: str,
    gpu: str | None,
    output: Path | None,
    format_: str | None,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    no_progress: bool,
    **asked: Any,  # noqa: ANN401 - the options of a Request, typed there
) -> int:
    """Show the graphs of every stage, and which operators became which kernel.

    TARGET is a model (model.py, model.py:name, package.module:name), which is recorded first, or a
    recording (a folder or .zip), a TORCH_TRACE log, or a folder of such logs. Without a TARGET the
    newest recording is read.

    \b
    Examples:
      inspect graph samples/small_cnn/model.py
      inspect graph model.py --gpu h200 --train
      inspect graph --stage forward
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    check_output(output, format_)
    unasked = {name for name in _UNASKED if not asked[name]} | {"measure"}
    given = {k: v for k, v in asked.items() if v is not None and v != () and k not in unasked}
    parse_inputs(given.get("inputs", ()))
    with contextlib.ExitStack() as stack:  # the logs, until all that is asked for was read
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
            report, code = _recorded(_request(target, gpu, given), settings, stage, graph, stack)
        else:
            places = {"gpu": gpu, "python": python, "timeout": timeout, "save": save}
            refuse_options({**given, **places})
            run = read_run(stack.enter_context(opened(existing(target))))
            say_which(run, target)
            report, code = make_graph_report(run, stage, graph), 0
    write_report(report, output, format_)
    return code


def _request(target: str, gpu: str | None, given: dict[str, Any]) -> Request:
    if "train" in given and "no_grad" in given:
        raise UsageError("--train and --no-grad exclude each other.", "Leave one of them out.")
    if "fake" in given and gpu is None:
        raise UsageError("--fake needs --gpu.", "Name one: `inspect kernels --list-gpus`.")
    if gpu is not None:
        known_gpu(gpu)
        if "device" in given:
            raise UsageError(
                "--gpu and --device exclude each other.",
                "With --gpu the model is taken to be on that GPU, and the CPU runs it.",
            )
    # Code that is not compiled is enough; other backends' graphs run as they are.
    how = {"backend": "inductor", "measure": False, "graphs": True, "generates": True, "gpu": gpu}
    return Request(target, **{**how, **given})


def _recorded(
    request: Request, settings: Settings, stage: str, graph: str, stack: contextlib.ExitStack
) -> tuple[GraphReport, int]:
    arguments = ("explain", request.to_json())
    recorded = record(arguments, request.target, request.asked, settings)
    if recorded.place.is_dir():
        return make_graph_report(recorded.run, stage, graph), recorded.exit_code
    # The graphs are read from the logs, which are in the .zip by now.
    recording = stack.enter_context(opened(recorded.place))
    return make_graph_report(read_run(recording), stage, graph), recorded.exit_code
