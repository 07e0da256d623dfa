"""Which graphs of a run `inspect graph` shows, and how they are drawn."""

import dataclasses
from collections.abc import Sequence

from inspector.errors import UsageError
from inspector.features.graph.drawing.options import around as near
from inspector.features.graph.report import (
    FUSION,
    GraphReport,
    PassesReport,
    make_graph_report,
    make_passes_report,
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
    passes: bool = False

    def check(self) -> None:
        """Refuses what excludes each other, before anything is recorded."""
        asked = {
            "--stage": self.stage,
            "--line": self.line,
            "--ops": self.ops or None,
            "--passes": self.passes or None,
        }
        given = [name for name, value in asked.items() if value is not None]
        if len(given) > 1:
            message = f"{' and '.join(given)} cannot be combined."
            raise UsageError(message, "Use one of them.")
        if self.depth is not None and self.around is None:
            message = "--depth needs --around."
            raise UsageError(message, "Name an operator or a module: --around gelu.")
        if self.around is not None and (self.stage == FUSION or len(given) > bool(self.stage)):
            message = "--around needs a stage with a graph of operators."
            raise UsageError(message, "Name one: --stage dynamo, --stage post-grad.")

    @property
    def shown(self) -> str:
        """The stage that is shown, unless all of them are looked at."""
        return self.stage or (FUSION if self.around is None else Stage.DYNAMO.value)

    def of(self, run: Run) -> GraphReport | PassesReport:
        """The report."""
        if self.passes:
            return make_passes_report(run, self.graph)
        if self.ops:
            return with_operators(make_graph_report(run, "", self.graph))
        if self.line is not None:
            return with_line(make_graph_report(run, "", self.graph), *self.line)
        report = make_graph_report(run, self.shown, self.graph)
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


def line_place(line: str | None) -> tuple[str, int] | None:
    """The file and the number of ``model.py:42``."""
    if line is None:
        return None
    file, colon, number = line.rpartition(":")
    if not colon or not file or not number.isdecimal() or not int(number):
        raise UsageError(f"{line!r} is not a line of a file.", "Use the form `model.py:42`.")
    return file, int(number)
