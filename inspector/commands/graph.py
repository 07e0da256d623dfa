"""``inspect graph``: the graphs of every stage, and what was fused."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file, complete_gpu
from inspector.commands.graph_files import check_suffix, is_graph_file, write_graph_files
from inspector.commands.options import (
    always_inductor,
    output_options,
    process_options,
    target_options,
)
from inspector.commands.output import check_output, check_place, write_report
from inspector.commands.precheck import check_file
from inspector.commands.record import Settings, record
from inspector.commands.target import existing, is_model, refuse_options, say_which
from inspector.errors import UsageError
from inspector.findings.graph_report import (
    FUSION,
    GraphReport,
    make_graph_report,
    with_line,
    with_operators,
)
from inspector.graphs.drawing.around import around as near
from inspector.graphs.drawing.options import Collapse, Colour, Drawing
from inspector.model.gpu_table import known_gpu
from inspector.model.graph import Graph, Stage
from inspector.model.input_parser import parse_inputs
from inspector.model.request import Request
from inspector.model.run import Run
from inspector.sources.recording import opened, read_run

__all__ = ["command"]

_STAGES = (*(stage.value for stage in Stage), FUSION)
_UNASKED = ("train", "fullgraph", "no_grad", "fake")


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
    "--depth", type=click.IntRange(0), default=2, show_default=True,
    help="How many arrows --around goes, up and down.",
)  # fmt: skip
@click.option("--line", metavar="FILE:LINE", help="What became of this line, in every stage.")
@click.option(
    "--ops", is_flag=True, help="Count the operators of every stage, and what became of them."
)
@click.option(
    "--collapse", type=click.Choice([item.value for item in Collapse]), default="auto",
    show_default=True, help="Of a picture: what becomes one box. auto keeps it readable.",
)  # fmt: skip
@click.option(
    "--colour", "--color", type=click.Choice([item.value for item in Colour]), default="dtype",
    show_default=True, help="Of a picture: what the colours tell.",
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
    depth: int,
    line: str | None,
    collapse: str,
    colour: str,
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
      inspect graph model.py --gpu h200 --train
      inspect graph --stage forward --graph 0/0 -o forward.svg
      inspect graph --around gelu --depth 2 -o part.png
      inspect graph --line model.py:42
      inspect graph --ops
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    view = _View(stage, graph, around, depth, _place(line), ops=ops)
    view.check()
    is_file = output is not None and is_graph_file(output)
    if output is not None:
        check_suffix(output)
    if is_file:
        view.check_file()
    if output is not None and is_file:
        check_place(output)
    check_output(None if is_file else output, format_)
    unasked = {name for name in _UNASKED if not asked[name]}
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
            run, code = _recorded(_request(target, gpu, given), settings, stack)
        else:
            places = {"gpu": gpu, "python": python, "timeout": timeout, "save": save}
            refuse_options({**given, **places})
            run = read_run(stack.enter_context(opened(existing(target))))
            say_which(run, target)
            code = 0
        report = view.of(run)
        if output is not None and is_file:
            drawing = Drawing(Collapse(collapse), colour=Colour(colour), force=force)
            write_graph_files(report, output, drawing)
            if format_ is None:
                return code
    write_report(report, None if is_file else output, format_)
    return code


# Nothing is measured, and what is compiled is not run.
always_inductor(command)
for _option in command.params:
    if isinstance(_option, click.Option) and _option.name == "output":
        _option.help = (
            "Write to a file; the end of its name is the format: a picture (.svg, .png, .pdf, "
            ".dot), a graph for another program (.graphml, .node-link.json, "
            ".model-explorer.json), or a report (.json, .md, .txt)."
        )


@dataclasses.dataclass(frozen=True, slots=True)
class _View:
    """What is asked for."""

    stage: str | None
    graph: str
    around: str | None
    depth: int
    line: tuple[str, int] | None
    ops: bool

    def check(self) -> None:
        """Refuses what excludes each other, before anything is recorded."""
        asked = {"--stage": self.stage, "--line": self.line, "--ops": self.ops or None}
        given = [name for name, value in asked.items() if value is not None]
        if len(given) > 1:
            message = f"{' and '.join(given)} exclude each other."
            raise UsageError(message, "Leave all but one of them out.")
        if self.around is not None and (self.stage == FUSION or self.line or self.ops):
            message = "--around shows a part of a graph of operators."
            raise UsageError(message, "Name its stage: --stage dynamo, --stage post-grad.")

    def check_file(self) -> None:
        """Refuses a picture, or a graph for another program, of what is no graph."""
        name = "--ops" if self.ops else "--line" if self.line is not None else ""
        if name:
            hint = "Name a .json, .md or .txt file, or leave it out: --stage has the graphs."
            raise UsageError(f"{name} gives a report, and no graph.", hint)

    def of(self, run: Run) -> GraphReport:
        """The report."""
        if self.ops:
            return with_operators(make_graph_report(run, "", self.graph))
        if self.line is not None:
            return with_line(make_graph_report(run, "", self.graph), *self.line)
        stage = self.stage or (FUSION if self.around is None else Stage.DYNAMO.value)
        report = make_graph_report(run, stage, self.graph)
        if self.around is None:
            return report
        return dataclasses.replace(report, graphs=self._parts(report.graphs))

    def _parts(self, graphs: Sequence[Graph]) -> tuple[Graph, ...]:
        """The parts of those graphs that have one."""
        parts: list[Graph] = []
        refused: UsageError | None = None
        for graph in graphs:
            try:
                parts.append(near(graph, self.around or "", self.depth))
            except UsageError as error:
                refused = error
        if refused is not None and not parts:
            raise refused
        return tuple(parts)


def _place(line: str | None) -> tuple[str, int] | None:
    if line is None:
        return None
    file, colon, number = line.rpartition(":")
    if not colon or not file or not number.isdecimal() or not int(number):
        raise UsageError(f"{line!r} is no line.", "Name one as `model.py:42`.")
    return file, int(number)


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


def _recorded(request: Request, settings: Settings, stack: contextlib.ExitStack) -> tuple[Run, int]:
    arguments = ("explain", request.to_json())
    recorded = record(arguments, request.target, request.asked, settings)
    if recorded.place.is_dir():
        return recorded.run, recorded.exit_code
    # The graphs are read from the logs, which are in the .zip by now.
    return read_run(stack.enter_context(opened(recorded.place))), recorded.exit_code
