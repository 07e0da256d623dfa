"""What a GPU that is not there would choose by measuring, in lines for people."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator, Sequence

from inspector.features.kernels.report import KernelsReport
from inspector.records.gpu_target import MeasuredDecision
from inspector.report.wording import count

CHOICES_TITLE = "Alternatives that autotuning on the GPU may choose"
_MOST_NAMES = 4
# Torch's key of a decision about padding: sizes, strides and dtypes, and the operator.
_SIZES = re.compile(r"torch\.Size\(\[([^\]]*)\]\), \([^)]*\), torch\.(\w+)")
_OPERATOR = re.compile(r"op='aten\.(\w+)'")
_MOST_DECISIONS = 12
_IF = {
    "padded": "padded",
    "template": "templates are taken",
    "subgraph": "graphs of their own are taken (decompose_k)",
}


def choice_lines(report: KernelsReport) -> Iterator[str]:
    """A line for each decision, then for each other code: what was taken, and what there is."""
    decisions = [item for _, said in report.targets for item in said.measured]
    same = collections.Counter(_texts(decisions))
    shown = list(same)[:_MOST_DECISIONS]
    for line in shown:
        yield f"{line} ({same[line]} times)" if same[line] > 1 else line
    if len(same) > len(shown):
        yield f"{len(same) - len(shown):,} more decisions in the JSON report"
    for index, graph in enumerate(report.graphs):
        names = [row.kernel.name for row in report.rows if row.graphs[0] == index]
        if graph.alternative and graph.calls and names:
            what = " and ".join(_IF.get(each, each) for each in graph.alternative.split(" and "))
            padded = [_about(item) for item in graph.about]
            if padded:
                what = what.replace("padded", f"{_named(padded)} is padded")
            place = f"graph {graph.compile_id} {graph.direction}"
            yield f"{place}, if {what}: {count(len(names), 'other kernel')}, {_named(names)}"


def _texts(decisions: Sequence[MeasuredDecision]) -> Iterator[str]:
    for item in decisions:
        others = [name for name in item.candidates if name != item.taken]
        line = f"{item.what}: {_about(item.detail)}: {item.taken}"
        yield f"{line}, or {_named(others)}" if others else line


def _about(detail: str) -> str:
    operator, sizes = _OPERATOR.search(detail), _SIZES.findall(detail)
    if operator is None or not sizes:
        return detail
    times = "\N{MULTIPLICATION SIGN}"
    operands = (f"{dtype} {times.join(size.split(', '))}" for size, dtype in sizes)
    return f"{operator[1]} {', '.join(operands)}"


def _named(names: Sequence[str]) -> str:
    if len(names) <= _MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[: _MOST_NAMES - 1])} and {len(names) - _MOST_NAMES + 1:,} more"
