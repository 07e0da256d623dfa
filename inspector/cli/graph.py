"""``inspect graph``: the graphs of every stage, and what was fused."""

import dataclasses

import click

from inspector.cli.graph_files import graph_file, write_graph_files
from inspector.cli.graph_view import DEPTH, View, line_place
from inspector.cli.grouped import Command
from inspector.cli.options import always_inductor, gpu_options, option_help
from inspector.cli.recording_options import Asked, recording_options
from inspector.features.graph.report import FUSION, GraphReport
from inspector.run.graph import Stage

_STAGES = (*(stage.value for stage in Stage), FUSION)


@click.command("graph", cls=Command)
@click.argument("target", required=False, type=click.Path())
@click.option(
    "--stage", type=click.Choice(_STAGES), metavar="STAGE",
    help=f"Show one stage: {', '.join(_STAGES)} (default).",
)  # fmt: skip
@click.option("--graph", "graph", metavar="ID", default="", help="Show only this compilation: 0/0.")
@click.option(
    "--around", metavar="TEXT", help="Show only what is near operators or modules of this name."
)
@click.option(
    "--depth", type=click.IntRange(0), metavar="N",
    help=f"Follow this many edges from --around in each direction.  [default: {DEPTH}]",
)  # fmt: skip
@click.option("--line", metavar="FILE:LINE", help="Show the operators of a line in every stage.")
@click.option("--ops", is_flag=True, help="Count the operators of every stage.")
@click.option("--passes", is_flag=True, help="Show what each pass changed in the graphs.")
@click.option("--force", is_flag=True, help="Draw all layers of a fusion diagram, also equal ones.")
@gpu_options
@recording_options
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    target: str | None,
    stage: str | None,
    graph: str,
    around: str | None,
    depth: int | None,
    line: str | None,
    *,
    asked: Asked,
    ops: bool,
    passes: bool,
    force: bool,
) -> int:
    """Show the graph of every stage, and which operators became which kernel.

    TARGET is a model (model.py, model.py:name, package.module:name), a recording, a TORCH_TRACE log
    or a folder of logs; by default the newest recording. -o writes a picture with Graphviz (.svg,
    .png, .pdf, .dot), or a report.

    \b
    Examples:
      inspect graph samples/small_cnn/model.py -o fusion.svg
      inspect graph samples/transformer_block/model.py --gpu h200 --train
      inspect graph --stage forward --graph 0/0 -o forward.svg
      inspect graph --around gelu --depth 2 -o part.png
      inspect graph --line samples/transformer_block/model.py:33
      inspect graph --passes samples/transformer_block/model.py --train
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    view = View(stage, graph, around, depth, line_place(line), ops=ops, passes=passes)
    view.check()
    file = graph_file(asked.output, view, forced=force)
    shown = asked.shown(
        target,
        prims=ops or stage == Stage.PRIMS.value,
        # Code that is not compiled is enough; other backends' graphs run as they are.
        backend="inductor", measure=False, graphs=True, generates=True, command="graph",
    )  # fmt: skip
    if file is not None:
        asked = dataclasses.replace(asked, output=None)
    asked.check(target)
    with shown as (run, code):
        report = view.of(run)
        if file is not None and isinstance(report, GraphReport):  # `graph_file` refused the other
            write_graph_files(report, file, is_whole=force)
            if asked.format_ is None:
                return code
    asked.write(report)
    return code


# Nothing is measured, and what is compiled is not run.
always_inductor(command)
option_help(command, output="Write .svg, .png, .pdf, .dot, or a report.")
