"""``inspect guards``: the guards, their lines, their cost, and what recompiles next."""

from typing import Any

import click

from inspector import plugins
from inspector.cli.grouped import Command
from inspector.cli.recording_options import Asked, recording_options
from inspector.features.cuda_graphs.report import make_cuda_graphs_report
from inspector.features.guards.report import make_guards_report

_RULE = "guard-cost"
_CUDA_GRAPH_RULES = "cuda-graph-"


@click.command("guards", cls=Command)
@click.argument("target", required=False, type=click.Path())
@recording_options
@click.option(
    "--cudagraphs",
    "cuda_graphs",
    is_flag=True,
    help="Show CUDA graphs instead: captures, skips, copies, and the share of calls that replay. "
    "By default, a model then runs on the GPU with Inductor and mode reduce-overhead.",
)
@click.option(
    "--levers",
    is_flag=True,
    help="Try torch's settings that make guards cheaper. For each, show the time saved, its "
    "assumption, and whether these calls violate it.",
)
def command(target: str | None, asked: Asked, *, cuda_graphs: bool) -> int:
    """Show guards, their cost, and which changes would trigger a recompilation.

    TARGET is a model (model.py, model.py:name, package.module:name), a recording, a TORCH_TRACE log
    or a folder of logs; by default the newest recording.

    \b
    Examples:
      inspect guards samples/small_cnn/model.py
      inspect guards samples/small_cnn/model.py:SmallCNN --input 'f32[8,3,224,224]' --train
      inspect guards samples/small_cnn/model.py --levers
      inspect guards samples/recompiles/recording.zip -o guards.md
      inspect guards samples/resnet50/h200-graphs.zip --cudagraphs
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    asked.check(target)
    how: dict[str, Any] = {"guards": True}
    if cuda_graphs:
        how = {"device": "cuda", "backend": "inductor"}
        if asked.given.get("backend", "inductor") == "inductor":
            how["mode"] = "reduce-overhead"
    with asked.shown(target, is_whole=True, **how) as (run, code):
        rules = plugins.load_rules("run")
        if cuda_graphs:
            about = [rule for rule in rules if rule.id.startswith(_CUDA_GRAPH_RULES)]
            asked.write(make_cuda_graphs_report(run, about))
        else:
            asked.write(make_guards_report(run, [rule for rule in rules if rule.id == _RULE]))
    return code
