"""``inspect graph``: the graphs of every stage, and what was fused."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file, complete_gpu
from inspector.commands.graph_files import (
    check_suffix,
    is_graph_file,
    is_picture,
    write_graph_files,
)
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
from inspector.costs.sites import site_costs
from inspector.errors import UsageError
from inspector.findings.graph_breaks_apart import with_breaks
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
_DEPTH = 2
_INDUCTOR, _XLA = "inductor", "openxla"
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
    "--depth", type=click.IntRange(0), show_default=str(_DEPTH),
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
      inspect graph model.py --gpu h200 --train
      inspect graph --stage forward --graph 0/0 -o forward.svg
      inspect graph --around gelu --depth 2 -o part.png
      inspect graph --line model.py:42
      inspect graph --ops
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    view = _View(stage, graph, around, depth, _place(line), ops=ops)
    view.check()
    is_file = output is not None and is_graph_file(output)
    drawn = {"--collapse": collapse, "--colour": colour, "--force": force or None}
    given_drawn = [name for name, value in drawn.items() if value is not None]
    if output is None or not is_picture(output):
        _refuse_drawing(given_drawn)
    if output is not None:
        check_suffix(output)
    if is_file:
        view.check_file()
        view.check_drawing(given_drawn, collapse)
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
            prims = ops or stage == Stage.PRIMS.value
            given = {**given, "prims": prims}
            request = _for_xla(_request(target, gpu, given), stage)
            run, code = _recorded(request, settings, stack)
        else:
            places = {"gpu": gpu, "python": python, "timeout": timeout, "save": save}
            refuse_options({**given, **places})
            run = read_run(stack.enter_context(opened(existing(target))))
            say_which(run, target)
            code = 0
        report = view.of(run)
        if output is not None and is_file:
            drawing = Drawing(
                Collapse(collapse or "auto"),
                colour=Colour(colour or "dtype"),
                force=force,
                around=around or "",
            )
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
    depth: int | None
    line: tuple[str, int] | None
    ops: bool

    def check(self) -> None:
        """Refuses what excludes each other, before anything is recorded."""
        asked = {"--stage": self.stage, "--line": self.line, "--ops": self.ops or None}
        given = [name for name, value in asked.items() if value is not None]
        if len(given) > 1:
            message = f"{' and '.join(given)} exclude each other."
            raise UsageError(message, "Leave all but one of them out.")
        if self.depth is not None and self.around is None:
            message = "--depth says how far --around goes."
            raise UsageError(message, "Name an operator or a module: --around gelu.")
        if self.around is not None and (self.stage == FUSION or self.line or self.ops):
            message = "--around shows a part of a graph of operators."
            raise UsageError(message, "Name its stage: --stage dynamo, --stage post-grad.")

    def check_file(self) -> None:
        """Refuses a picture, or a graph for another program, of what is no graph."""
        name = "--ops" if self.ops else "--line" if self.line is not None else ""
        if name:
            hint = "Name a .json, .md or .txt file, or leave it out: --stage has the graphs."
            raise UsageError(f"{name} gives a report, and no graph.", hint)

    @property
    def shown(self) -> str:
        """The stage that is shown, unless all of them are looked at."""
        return self.stage or (FUSION if self.around is None else Stage.DYNAMO.value)

    def check_drawing(self, given: Sequence[str], collapse: str | None) -> None:
        """Refuses what the picture of another stage alone can show."""
        ways = [name for name in given if name != "--force"]
        if ways and self.shown == FUSION:
            verb = "is" if len(ways) == 1 else "are"
            message = f"{' and '.join(ways)} {verb} about the picture of a stage."
            raise UsageError(message, "Name one: --stage post-grad, --stage dynamo.")
        if collapse == Collapse.KERNEL.value and self.shown != Stage.POST_GRAD.value:
            message = (
                f"The {self.shown} graph does not know its kernels, as --collapse kernel asks."
            )
            raise UsageError(message, "Name the graph that does: --stage post-grad.")

    def of(self, run: Run) -> GraphReport:
        """The report."""
        if self.ops:
            return with_operators(make_graph_report(run, "", self.graph))
        if self.line is not None:
            return with_line(make_graph_report(run, "", self.graph), *self.line)
        report = make_graph_report(run, self.shown, self.graph)
        if self.shown == FUSION:
            return with_breaks(report, site_costs(run))
        if self.around is None:
            return report
        depth = () if self.depth is None else ("--depth", str(self.depth))
        return dataclasses.replace(
            report, graphs=self._parts(report.graphs), part=("--around", self.around, *depth)
        )

    def _parts(self, graphs: Sequence[Graph]) -> tuple[Graph, ...]:
        """The parts of those graphs that have one."""
        parts: list[Graph] = []
        refused: UsageError | None = None
        for graph in graphs:
            try:
                parts.append(
                    near(graph, self.around or "", _DEPTH if self.depth is None else self.depth)
                )
            except UsageError as error:
                refused = error
        if refused is not None and not parts:
            raise refused
        return tuple(parts)


def _refuse_drawing(given: Sequence[str]) -> None:
    if given:
        message = f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} about a picture."
        raise UsageError(message, "Write one: -o graph.svg.")


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
    how = {"backend": _INDUCTOR, "measure": False, "graphs": True, "generates": True, "gpu": gpu}
    return Request(target, **{**how, **given})


def _for_xla(request: Request, stage: str | None) -> Request:
    """HLO is made in the first call of what a backend of XLA compiled."""
    if stage != Stage.HLO.value:
        return request
    backend = _XLA if request.backend == _INDUCTOR else request.backend
    return dataclasses.replace(request, backend=backend, generates=False)


def _recorded(request: Request, settings: Settings, stack: contextlib.ExitStack) -> tuple[Run, int]:
    arguments = ("explain", request.to_json())
    recorded = record(arguments, request.target, request.asked, settings)
    if recorded.place.is_dir():
        return recorded.run, recorded.exit_code
    # The graphs are read from the logs, which are in the .zip by now.
    return read_run(stack.enter_context(opened(recorded.place))), recorded.exit_code
