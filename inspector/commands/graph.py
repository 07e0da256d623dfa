"""``inspect graph``: the graphs of every stage, and what was fused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file, complete_gpu
from inspector.commands.graph_files import write_graph_files
from inspector.commands.graph_view import DEPTH, Drawn, View, line_place
from inspector.commands.options import (
    always_inductor,
    check_gpu,
    check_grad,
    given_options,
    option_help,
    output_options,
    process_options,
    target_options,
)
from inspector.commands.output import check_output, write_report
from inspector.commands.record import Settings
from inspector.commands.target import check_target, shown_run
from inspector.findings.graph_report import FUSION
from inspector.graphs.drawing.options import Collapse, Colour
from inspector.model.graph import Stage
from inspector.model.request import Request

_STAGES = (*(stage.value for stage in Stage), FUSION)


@click.command("graph")
@click.argument("target", required=False, shell_complete=complete_file)
@click.option(
    "--stage", type=click.Choice(_STAGES), default=None,
    help="Which graph; fusion, which is shown by default, has the kernels.",
)  # fmt: skip
@click.option("--graph", "graph", metavar="ID", default="", help="Only this compilation: 0/0.")
@click.option(
    "--around",
    metavar="TEXT",
    help="Only what is near the operators whose name, or module, has this text in it.",
)
@click.option(
    "--depth", type=click.IntRange(0), show_default=str(DEPTH),
    help="How many arrows --around goes, up and down.",
)  # fmt: skip
@click.option("--line", metavar="FILE:LINE", help="What became of this line, in every stage.")
@click.option(
    "--ops", is_flag=True, help="Count the operators of every stage, and what became of them."
)
@click.option(
    "--collapse", type=click.Choice([item.value for item in Collapse]), show_default="auto",
     help="Of the picture of a stage: what becomes one box. auto keeps it readable.",
)  # fmt: skip
@click.option(
    "--colour", "--color", type=click.Choice([item.value for item in Colour]), show_default="dtype",
     help="Of the picture of a stage: what the colours tell.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Of a picture: draw every box, however many.")
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
    stage: str | None,
    graph: str,
    around: str | None,
    depth: int | None,
    line: str | None,
    collapse: str | None,
    colour: str | None,
    gpu: str | None,
    output: Path | None,
    format_: str | None,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    ops: bool,
    force: bool,
    no_progress: bool,
    **asked: Any,  # noqa: ANN401 - the options of a Request, typed there
) -> int:
    """Show the graphs of every stage, and which operators became which kernel.

    TARGET is a model (model.py, model.py:name, package.module:name), which is recorded first, or a
    recording (a folder or .zip), a TORCH_TRACE log, or a folder of such logs. Without a TARGET the
    newest recording is read. The end of the name after -o says the format: .svg, .png, .pdf, .dot
    are pictures (by Graphviz), .graphml, .node-link.json and .model-explorer.json graphs for other
    programs, .json and .md reports.

    \b
    Examples:
      inspect graph samples/small_cnn/model.py -o fusion.svg
      inspect graph samples/transformer_block/model.py --gpu h200 --train
      inspect graph --stage forward --graph 0/0 -o forward.svg
      inspect graph --around gelu --depth 2 -o part.png
      inspect graph --line samples/transformer_block/model.py:33
      inspect graph --ops
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    view = View(stage, graph, around, depth, line_place(line), ops=ops)
    view.check()
    drawn = Drawn(collapse, colour, force)
    file = drawn.file(output, view)
    report_file = output if file is None else None
    check_output(report_file, format_)
    given = given_options(asked)
    check_target(
        target, python, {**given, "gpu": gpu, "python": python, "timeout": timeout, "save": save}
    )
    settings = Settings.of_view(
        python, timeout, save, no_progress=no_progress, output=output, format_=format_
    )
    given["prims"] = ops or stage == Stage.PRIMS.value

    with shown_run(target, lambda model: _request(model, gpu, given), settings) as (run, code):
        report = view.of(run)
        if file is not None:
            write_graph_files(report, file, drawn.drawing(view))
            if format_ is None:
                return code
    write_report(report, report_file, format_)
    return code


# Nothing is measured, and what is compiled is not run.
always_inductor(command)
option_help(
    command,
    output="Write to a file; the end of its name is the format: a picture (.svg, .png, .pdf, "
    ".dot), a graph for another program (.graphml, .node-link.json, .model-explorer.json), or a "
    "report (.json, .md, .txt).",
)


def _request(target: str, gpu: str | None, given: dict[str, Any]) -> Request:
    check_grad(given)
    check_gpu(given, gpu)
    # Code that is not compiled is enough; other backends' graphs run as they are.
    how = {
        "backend": "inductor",
        "measure": False,
        "graphs": True,
        "generates": True,
        "gpu": gpu,
        "command": "graph",
    }
    return Request(target, **{**how, **given})
