"""What graph_accuracy.py found out, as the page that it writes."""

from __future__ import annotations

import collections
import dataclasses
import re
from typing import TYPE_CHECKING

from inspector.run.graph import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REPORT = """\
# Graphs, kernels and bytes against torch's own

{torch}, transformers {transformers}; code for one {gpu} that is not there, and C++ where it says
cpu. Written by `benchmarks/graph_accuracy.py`.

- *graphs*: those of all stages whose nodes, operations and edges are the live ones', of all.
- *kernels*: definitions in the generated code that stand in the fusion view under their name, those
  of Triton with the operators of their comment `Original ATen`, of all.
- *bytes*: scheduler nodes with the bytes of `get_read_write_buffers_sizes()`, of all.
- *lines*: compute nodes of all stages that lead to a line of the program, by their own stack or by
  their neighbours'.

{table}

{stages}

{remarks}
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    right: int = 0
    all: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.right + other.right, self.all + other.all)

    def __str__(self) -> str:
        return f"{self.right:,} / {self.all:,}"


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One program.

    Attributes:
        name: Its name, with what the code is for.
        training: Whether there is a backward pass.
        graphs: Graphs that are the live ones.
        nodes: Nodes of them; all are right where the graph is.
        kernels: Kernels that are those of the code.
        bytes_: Scheduler nodes with torch's bytes.
        lines: By stage, nodes with a stack of their own, with a neighbour's, and all.
        remarks: What differs.
        failure: Why there is nothing, or an empty string.
    """

    name: str
    training: bool = False
    graphs: Share = Share()
    nodes: int = 0
    kernels: Share = Share()
    bytes_: Share = Share()
    lines: dict[str, tuple[int, int, int]] = dataclasses.field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    failure: str = ""


def table(rows: Iterable[Row]) -> list[str]:
    """One line for each program."""
    lines = [
        "| program | | graphs | nodes | kernels | bytes | lines |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        if row.failure:
            lines.append(f"| {row.name} | {row.failure} | | | | | |")
            continue
        led = sum(own + near for own, near, _ in row.lines.values())
        share = Share(led, sum(number for _, _, number in row.lines.values()))
        cells = (
            row.name, "training" if row.training else "inference", row.graphs, f"{row.nodes:,}",
            row.kernels, row.bytes_, share,
        )  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def stage_table(rows: Sequence[Row]) -> list[str]:
    """Where the nodes of each stage lead."""
    lines = [
        "| stage | compute nodes | own stack | a neighbour's | no line |",
        "|---|--:|--:|--:|--:|",
    ]
    for stage in (stage.value for stage in Stage):
        found = [row.lines[stage] for row in rows if stage in row.lines]
        own, near, number = (sum(each) for each in zip(*found, strict=True)) if found else (0, 0, 0)
        if number:
            cells = stage, f"{number:,}", f"{own / number:.2%}", f"{near / number:.2%}"
            lines.append("| " + " | ".join(cells) + f" | {number - own - near:,} |")
    return lines


def remark_lines(rows: Iterable[Row]) -> list[str]:
    """What differs, the same of many nodes once."""
    lines = []
    for row in rows:
        kinds = collections.Counter(re.sub(r"_\d+\b", "", remark) for remark in row.remarks)
        for remark, number in kinds.items():
            times = f" ({number} times)" if number > 1 else ""
            lines.append(f"- {row.name}: {remark}{times}")
    return lines or ["Nothing differs."]


def render(rows: Sequence[Row], gpu: str) -> str:
    """The whole report.

    Args:
        rows: The programs.
        gpu: What the code is for, where that is not the CPU.
    """
    from importlib.metadata import version

    total = (
        f"**{sum((row.graphs for row in rows), Share())} graphs, "
        f"{sum((row.kernels for row in rows), Share())} kernels, "
        f"{sum((row.bytes_ for row in rows), Share())} scheduler nodes are the same.**"
    )
    return REPORT.format(
        torch=f"torch {version('torch')}",
        transformers=version("transformers"),
        gpu=gpu,
        table="\n".join([total, "", *table(rows)]),
        stages="\n".join(stage_table(rows)),
        remarks="\n".join(remark_lines(rows)),
    )
