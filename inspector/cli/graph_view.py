"""Which graphs of a run `inspect graph` shows, and how they are drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from inspector.cli.graph_files import check_suffix, is_picture
from inspector.cli.output import check_place
from inspector.errors import UsageError
from inspector.features.costs.sites import site_costs
from inspector.features.graph.drawing.options import Collapse, Colour, Drawing
from inspector.features.graph.drawing.options import around as near
from inspector.features.graph.not_fused import split_by_breaks
from inspector.features.graph.report import (
    FUSION,
    GraphReport,
    make_graph_report,
    with_line,
    with_operators,
)
from inspector.run.graph import Graph, Stage
from inspector.run.run import Run

DEPTH = 2
"""How many arrows ``--around`` goes, unless told otherwise."""


@dataclasses.dataclass(frozen=True, slots=True)
class View:
    """What is asked for.

    Attributes:
        stage: Its graph, or None for what was fused.
        graph: The compilation that it is of, or an empty string for all.
        around: What the operators' names or modules have in them that all is near to, or None.
        depth: How many arrows away that may be, or None.
        line: The file and the line whose operators are shown in every stage, or None.
    """

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
        """Refuses a picture of what is no graph."""
        name = "--ops" if self.ops else "--line" if self.line is not None else ""
        if name:
            hint = "Name a .json, .md or .txt file, or leave it out: --stage has the graphs."
            raise UsageError(f"{name} gives a report, and no graph.", hint)

    @property
    def shown(self) -> str:
        """The stage that is shown, unless all of them are looked at."""
        return self.stage or (FUSION if self.around is None else Stage.DYNAMO.value)

    def check_drawing(self, given: Sequence[str]) -> None:
        """Refuses what the picture of another stage alone can show."""
        ways = [name for name in given if name != "--force"]
        if ways and self.shown == FUSION:
            verb = "is" if len(ways) == 1 else "are"
            message = f"{' and '.join(ways)} {verb} about the picture of a stage."
            raise UsageError(message, "Name one: --stage post-grad, --stage dynamo.")

    def of(self, run: Run) -> GraphReport:
        """The report."""
        if self.ops:
            return with_operators(make_graph_report(run, "", self.graph))
        if self.line is not None:
            return with_line(make_graph_report(run, "", self.graph), *self.line)
        report = make_graph_report(run, self.shown, self.graph)
        if self.shown == FUSION:
            breaks = split_by_breaks(run, site_costs(run))
            return dataclasses.replace(report, breaks=breaks)
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
                    near(graph, self.around or "", DEPTH if self.depth is None else self.depth)
                )
            except UsageError as error:
                refused = error
        if refused is not None and not parts:
            raise refused
        return tuple(parts)


@dataclasses.dataclass(frozen=True, slots=True)
class Drawn:
    """How a picture is asked to be, each part None where it is not asked for.

    Attributes:
        force: Whether every box is drawn, however many.
    """

    collapse: str | None
    colour: str | None
    force: bool

    def file(self, output: Path | None, view: View) -> Path | None:
        """The file for pictures; None where reports alone are asked for.

        Raises:
            UsageError: The file, or what is in it, cannot be what is asked for.
        """
        if output is None or not is_picture(output):
            self._refuse()
        if output is None:
            return None
        check_suffix(output)
        if not is_picture(output):
            return None
        view.check_file()
        view.check_drawing(self._given)
        check_place(output)
        return output

    def drawing(self, view: View) -> Drawing:
        """How a view is drawn."""
        return Drawing(
            Collapse(self.collapse or "auto"),
            colour=Colour(self.colour or "dtype"),
            force=self.force,
            around=view.around or "",
        )

    @property
    def _given(self) -> list[str]:
        asked = {
            "--collapse": self.collapse,
            "--colour": self.colour,
            "--force": self.force or None,
        }
        return [name for name, value in asked.items() if value is not None]

    def _refuse(self) -> None:
        given = self._given
        if given:
            message = f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} about a picture."
            raise UsageError(message, "Write one: -o graph.svg.")


def line_place(line: str | None) -> tuple[str, int] | None:
    """The file and the number of ``model.py:42``.

    Raises:
        UsageError: It is no line.
    """
    if line is None:
        return None
    file, colon, number = line.rpartition(":")
    if not colon or not file or not number.isdecimal() or not int(number):
        raise UsageError(f"{line!r} is no line.", "Name one as `model.py:42`.")
    return file, int(number)
