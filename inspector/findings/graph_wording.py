"""How a report on graphs says things, the same in every format."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Sequence

from inspector.events.graph_nodes import TensorMeta
from inspector.findings.graph_report import FusionRow, GraphReport
from inspector.findings.wording import count, duration, size
from inspector.graphs.fusion import Fusion, Step
from inspector.graphs.not_fused import TEMPLATES, Pair, described, grouped, short_name
from inspector.graphs.operators import (
    Decomposition,
    GraphOperators,
    OperatorKind,
    shown_operator,
)
from inspector.graphs.outside import Outside
from inspector.graphs.traffic import is_view
from inspector.model.dtypes import find_dtype
from inspector.model.gpus import Gpu
from inspector.model.graph import Graph, Node

__all__ = [
    "TIMES",
    "ApartLine",
    "StepLine",
    "apart_lines",
    "decomposition_lines",
    "fusion_headline",
    "graph_headline",
    "node_columns",
    "operator_lines",
    "operators_title",
    "outside_lines",
    "place_of",
    "saved_line",
    "shape_text",
    "step_lines",
    "traffic_line",
]

_MOST_OPERATORS = 6
_MOST_CALLS = 3
_MOST_COUNTED = 12
_GIGA = 1_000_000_000
_LEAST_NS = 50  # less is shown as nothing
_KINDS = {
    "extern": "call of a library",
    "fallback": "ATen, left to eager PyTorch",
    "user_kernel": "the program's own kernel",
    "template": "template",
    "foreach": "many tensors at once",
}
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclasses.dataclass(frozen=True, slots=True)
class StepLine:
    """A kernel, or several that are the same in each of many layers.

    Attributes:
        name: Its name.
        number: How many there are.
        detail: What it does, and its traffic.
        lines: The user's lines, ``model.py:31`` and the text of each.
    """

    name: str
    number: int
    detail: str
    lines: tuple[tuple[str, str], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ApartLine:
    """What was not fused, and why.

    Attributes:
        title: The two sides.
        saved: What one kernel for both would save, at most.
        reason: Why they are apart.
        change: What to change, or an empty string.
    """

    title: str
    saved: str
    reason: str
    change: str


def fusion_headline(fusion: Fusion) -> str:
    """What became of a graph, in one line."""
    calls = sum(step.is_call for step in fusion.steps)
    operators = {node.name for step in fusion.steps for node in step.operators}
    parts = [count(len(fusion.steps) - calls, "kernel")]
    parts += [count(calls, "call of a library", "calls of libraries")] if calls else []
    return f"{fusion.name}: {count(len(operators), 'operator')} in {' and '.join(parts)}"


def traffic_line(fusion: Fusion) -> str:
    """The bytes of all kernels, and what fusing removed of them."""
    now, before = fusion.bytes_, fusion.bytes_alone
    if now is None or before is None:
        return "how many bytes it reads and writes is not known: sizes change from call to call"
    text = f"{size(now)} read and written"
    if before > now:
        removed = f"{100 * (1 - now / before):.0f} %"
        text += f" instead of {size(before)}, if each operator were a kernel of its own: {removed}"
        text += " of the memory traffic removed"
    return f"{text} (computed, as Inductor counts bytes)"


def step_lines(fusion: Fusion) -> list[StepLine]:
    """The kernels in order; those that are the same in each of many layers once."""
    found: dict[tuple[str, ...], list[Step]] = {}
    for step in fusion.steps:
        operators = (f"{place_of(node)} {node.target}" for node in step.operators)
        key = (step.name, step.kind, *operators)
        found.setdefault(key, []).append(step)
    return [_step_line(same) for same in found.values()]


def _step_line(same: Sequence[Step]) -> StepLine:
    step = same[0]
    nodes = [node for node in step.operators if not is_view(node)]
    again = [node for node in nodes if node.name in step.again]
    nodes = [node for node in nodes if node not in again]
    names = collections.Counter(short_name(node.aten or node.target) for node in nodes)
    shown = ", ".join(list(names)[:_MOST_OPERATORS])
    more = f" +{len(names) - _MOST_OPERATORS}" if len(names) > _MOST_OPERATORS else ""
    parts = [_KINDS.get(step.kind, step.kind)]
    if nodes:
        also = f", and {len(again)} of other kernels" if again else ""
        parts.append(f"{count(len(nodes), 'operator')} of {shown}{more}{also}")
    elif again:
        last = again[-1]
        parts.append(f"a part of {short_name(last.aten or last.target)}, or its values again")
    parts += _traffic(same)
    shown_nodes = nodes or again[-1:]
    lines = {place_of(node): node.line.code for node in shown_nodes if node.line is not None}
    return StepLine(step.name, len(same), " · ".join(parts), tuple(lines.items()))


def _traffic(same: Sequence[Step]) -> Iterator[str]:
    step = same[0]
    if step.bytes_ is not None:
        text = size(step.bytes_)
        if step.bytes_alone is not None and step.bytes_alone > step.bytes_:
            text += f" instead of {size(step.bytes_alone)}"
        yield text + (" each" if len(same) > 1 else "")
    kept = [node.bytes_ for node in step.removed]
    if kept and None not in kept:
        inside = sum(number or 0 for number in kept)
        yield f"{count(len(kept), 'tensor')} of {size(inside)} never in memory"
    if step.flops_per_byte is not None:
        yield f"{step.flops_per_byte:.1f} FLOP/B"


def _flops(number: int) -> str:
    return f"{number / 1e9:.1f} GFLOP" if number >= _GIGA else f"{number / 1e6:.1f} MFLOP"


def place_of(node: Node) -> str:
    """``model.py:31``, or an empty string."""
    return f"{node.line.file.rpartition('/')[2]}:{node.line.line}" if node.line else ""


def apart_lines(report: GraphReport, row: FusionRow) -> list[ApartLine]:
    """What was not fused; calls of libraries, where the reason is always the same, stand last."""
    gpu = report.gpu
    is_autotuned = str(report.run.meta.settings.get("mode") or "").startswith("max-autotune")
    lines: list[ApartLine] = []
    calls: dict[str, list[tuple[Pair, int]]] = {}
    for pair, number in grouped(row.fusion, row.pairs):
        if pair.reason is not None and pair.reason.kind == "library":
            calls.setdefault(pair.reason.change, []).append((pair, number))
        else:
            lines.append(_apart_line(row.fusion, pair, number, gpu))
    lines += [_calls_line(row.fusion, pairs, gpu) for pairs in calls.values()]
    if is_autotuned:  # that is what was done
        lines = [
            dataclasses.replace(line, change="") if line.change == TEMPLATES else line
            for line in lines
        ]
    return lines


def _apart_line(fusion: Fusion, pair: Pair, number: int, gpu: Gpu | None) -> ApartLine:
    said = f"Torch says: {pair.said}." if pair.said else "Torch gives no reason."
    reason = pair.reason.sentence if pair.reason else said
    change = pair.reason.change if pair.reason else ""
    saved = saved_line(pair.saved_bytes, number, gpu)
    return ApartLine(_title(fusion, pair), saved, reason, change)


def _calls_line(fusion: Fusion, pairs: Sequence[tuple[Pair, int]], gpu: Gpu | None) -> ApartLine:
    first = pairs[0][0]
    if len(pairs) == 1:
        return _apart_line(fusion, *pairs[0], gpu)
    number = sum(times for _, times in pairs)
    saved = saved_line(sum(pair.saved_bytes * times for pair, times in pairs), 1, gpu)
    shown = "; ".join(
        f"{_title(fusion, pair)} {saved_line(pair.saved_bytes, times, None)}"
        for pair, times in pairs[:_MOST_CALLS]
    )
    more = f"; {len(pairs) - _MOST_CALLS} more" if len(pairs) > _MOST_CALLS else ""
    is_left = first.reason is not None and "eager" in first.reason.sentence
    what = "operators left to eager PyTorch" if is_left else "calls of libraries"
    reason = f"Inductor does not write their code, and fuses nothing with them: {shown}{more}."
    change = first.reason.change if first.reason else ""
    return ApartLine(f"{count(number, 'pair')} with {what}", f"{saved} in all", reason, change)


def _title(fusion: Fusion, pair: Pair) -> str:
    return " and ".join(described(fusion.steps[place]) for place in (pair.first, pair.second))


def saved_line(size_bytes: int, number: int, gpu: Gpu | None) -> str:
    """So much is read and written twice, in each of some pairs, and how long that takes."""
    text = f"{number} {TIMES} {size(size_bytes)}" if number > 1 else size(size_bytes)
    if gpu is not None and gpu.bandwidth:
        time_ns = round(size_bytes * number / gpu.bandwidth * 1e9)
        if time_ns < _LEAST_NS:
            return text
        text += f" ({duration(time_ns)} at {gpu.bandwidth / 1e12:.2f} TB/s)"
    return text


def graph_headline(graph: Graph) -> str:
    """A graph in one line."""
    operators = [node for node in graph.nodes if node.is_compute]
    modules = {node.module for node in operators if node.module}
    parts = [count(len(graph.nodes), "node"), count(len(operators), "operator")]
    parts += [f"in {count(len(modules), 'module')}"] if modules else []
    flops = sum(node.flops or 0 for node in operators)
    parts += [_flops(flops)] if flops else []
    saved = [node for node in graph.nodes if node.is_saved and node.op != "placeholder"]
    if saved:
        sizes = [node.bytes_ for node in saved]
        known = "" if None in sizes else f" of {size(sum(number or 0 for number in sizes))}"
        parts.append(f"{count(len(saved), 'tensor')}{known} saved for the backward pass")
    return f"{graph.name}: {' · '.join(parts)}"


def node_columns(node: Node) -> tuple[str, str, str, str]:
    """A node's name, its operator, the user's line, and what it gives."""
    operator = short_name(shown_operator(node)) if node.is_compute else node.op
    return node.name, operator, place_of(node), ", ".join(map(shape_text, node.tensors))


def shape_text(tensor: TensorMeta) -> str:
    """A tensor as torch prints it in graphs: ``f32[8, 64]``."""
    dtype = find_dtype(tensor.dtype)
    return f"{dtype.name if dtype else tensor.dtype}[{', '.join(map(str, tensor.shape))}]"


def operators_title(graph: GraphOperators) -> str:
    """A graph, and how many operators it has."""
    title = f"{graph.graph}: {count(graph.total, 'operator')}"
    return title + (f", and {graph.nested:,} in graphs inside of it" if graph.nested else "")


def operator_lines(graph: GraphOperators) -> Iterator[tuple[str, str]]:
    """Each kind of operator with how many there are, and which."""
    for kind in OperatorKind:
        found = [item for item in graph.operators if item.kind is kind]
        if found:
            names = [f"{item.operator} {TIMES}{item.count}" for item in found[:_MOST_COUNTED]]
            more = len(found) - _MOST_COUNTED
            names += [count(more, "other")] if more > 0 else []
            yield f"{kind.value} {graph.of_kind(kind)}", ", ".join(names)


def decomposition_lines(found: Sequence[Decomposition]) -> Iterator[tuple[str, str]]:
    """What operators became; those that stay what they are, in one line."""
    for item in found:
        if not item.is_kept:
            number = f" {TIMES}{item.count}" if item.count is not None else ""
            parts = ", ".join(f"{name} {TIMES}{times}" for name, times in item.into)
            yield item.operator + number, parts or "nothing"
    kept = [item.operator for item in found if item.is_kept]
    if kept:
        yield "unchanged", ", ".join(kept)


def outside_lines(found: Sequence[Outside]) -> Iterator[tuple[str, str]]:
    """What Inductor writes no code for: with which nothing can be fused."""
    same: dict[tuple[str, str], int] = {}
    for item in found:
        why = item.why.value + (f" ({item.library})" if item.library else "")
        same[item.step.name, why] = same.get((item.step.name, why), 0) + 1
    for (name, why), number in same.items():
        yield f"{name} {TIMES}{number}", why
