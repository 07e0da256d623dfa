"""How a report on graphs says things, the same in every format."""

import collections
from collections.abc import Iterator, Sequence

from inspector.features.graph.decompositions import Decomposition
from inspector.features.graph.drawing import labels
from inspector.features.graph.drawing.style import look_of
from inspector.features.graph.fusion import Fusion, Step
from inspector.features.graph.operators import (
    GraphOperators,
    OperatorCount,
    OperatorKind,
    shown_operator,
)
from inspector.features.graph.report import GraphReport
from inspector.features.graph.step_names import named_nodes, operator_name, part_of, short_name
from inspector.report.overview import recording_line
from inspector.report.wording import count, listed, size
from inspector.run.graph import Graph, Node, is_view

_MOST_OPERATORS = 6
_MOST_NUMBERS = 24
_MOST_COUNTED = 12
_KERNEL = ("kernel", "")
_LIBRARY = ("library call", "")
_COUNTED = {
    "extern": _LIBRARY,
    "fallback": _LIBRARY,
    "custom": ("custom operator", ""),
    "collective": ("collective", ""),
    "higher_order": ("higher-order operator", ""),
    "user_kernel": ("user kernel", ""),
}
TIMES = "\N{MULTIPLICATION SIGN}"


def header_parts(report: GraphReport) -> tuple[str, ...]:
    """Which recording it is, with the GPU that code was generated for."""
    parts = recording_line(report.run)
    if report.gpu is None:
        return parts
    gpu = f"{report.gpu.name} (not here)"
    if "cpu" in parts:
        return tuple(gpu if part == "cpu" else part for part in parts)
    return (*parts, gpu)


def fusion_headline(fusion: Fusion) -> str:
    """What became of a graph, in one line."""
    kinds = collections.Counter(_COUNTED.get(step.call_kind, _KERNEL) for step in fusion.steps)
    operators = {node.name for step in fusion.steps for node in step.operators}
    order = dict.fromkeys([_KERNEL, *_COUNTED.values()])
    parts = [count(kinds[noun], *noun) for noun in order if kinds[noun] or noun == _KERNEL]
    made = ", ".join(parts[:-1]) + " and " + parts[-1] if parts[1:] else parts[0]
    return f"{fusion.name}: {count(len(operators), 'operator')} in {made}"


def traffic_line(fusion: Fusion) -> str:
    """The bytes of all kernels, and what fusing removed of them."""
    text = labels.traffic(fusion)
    if not text:
        return "memory traffic is known only at run time"
    values = ", ".join(f"{name} = {value}" for name, value in fusion.hints.items())
    sizes = f", at the sizes of the compiled call: {values}" if values else ""
    now, counted = fusion.bytes_, fusion.bytes_inductor
    differs = counted is not None and size(counted) != size(now or 0)
    other = f"; Inductor counts {size(counted or 0)}" if differs else ", by Inductor's byte count"
    return f"{text} (computed{other}{sizes})"


def step_lines(fusion: Fusion) -> list[tuple[str, str, dict[str, str]]]:
    """The kernels in order; those that are the same in each of many layers once.

    Returns:
        Name, with the number in the generated code from 1, what it does, and code by line.
    """
    found: dict[tuple[object, ...], list[int]] = {}
    for number, step in enumerate(fusion.steps, 1):
        operators = (f"{labels.line(node.line)} {node.target}" for node in step.operators)
        costs = step.bytes_, step.bytes_eager, step.flops, len(step.again)
        found.setdefault((step.name, step.kind, *costs, *operators), []).append(number)
    return [_step_line(fusion, tuple(numbers)) for numbers in found.values()]


def _step_line(fusion: Fusion, numbers: tuple[int, ...]) -> tuple[str, str, dict[str, str]]:
    step = fusion.steps[numbers[0] - 1]
    others = listed([f"#{number}" for number in numbers[1:]], _MOST_NUMBERS)
    also = f"also {others}" if others else ""
    parts = [look_of(step.call_kind).word, also, _computed(fusion, step)]
    parts += _traffic(step, len(numbers))
    frames = [node.line for node in named_nodes(step) if node.line is not None]
    lines = {labels.line(frame): frame.code for frame in frames}
    times = f"{len(numbers)}{TIMES} " if len(numbers) > 1 else ""
    return f"{times}#{numbers[0]} {step.name}", " · ".join(filter(None, parts)), lines


def _computed(fusion: Fusion, step: Step) -> str:
    """What it computes, by the operators' names before decompositions."""
    part = part_of(fusion, step)
    own = [node for node in step.operators if not is_view(node)]
    again = [node for node in own if node.name in step.again]
    own = [node for node in own if node.name not in step.again]
    if part or not own:
        return part
    names = list(dict.fromkeys(map(operator_name, own)))
    shown = ", ".join(names[:_MOST_OPERATORS])
    more = f" +{len(names) - _MOST_OPERATORS}" if len(names) > _MOST_OPERATORS else ""
    also = f", and {len(again)} also in other kernels" if again else ""
    return f"{count(len(own), 'operator')} of {shown}{more}{also}"


def _traffic(step: Step, times: int) -> Iterator[str]:
    if step.bytes_ is not None:
        yield _instead(step.bytes_, step.bytes_eager) + (" each" if times > 1 else "")
    kept = [node.bytes_ for node in step.removed]
    if kept and None not in kept:
        inside = sum(number or 0 for number in kept)
        reach = "reaches" if len(kept) == 1 else "reach"
        yield f"{count(len(kept), 'tensor')}, {size(inside)}, never {reach} memory"
    if step.flops_per_byte is not None:
        yield f"{step.flops_per_byte:,.1f} FLOP/B"


def _instead(now: int, before: int | None) -> str:
    """``4.0 KiB instead of 8.0 KiB in eager PyTorch``; what would look the same is said once."""
    is_less = before is not None and before > now and size(before) != size(now)
    return f"{size(now)} instead of {size(before or 0)} in eager PyTorch" if is_less else size(now)


def graph_headline(graph: Graph) -> str:
    """A graph in one line."""
    operators = [node for node in graph.nodes if node.is_compute]
    modules = {node.module for node in operators if node.module}
    parts = [count(len(graph.nodes), "node"), count(len(operators), "operator")]
    parts += [f"in {count(len(modules), 'module')}"] if modules else []
    flops = sum(node.flops or 0 for node in operators)
    parts += [labels.flops(flops)] if flops else []
    saved = [node for node in graph.nodes if node.is_saved and node.op != "placeholder"]
    if saved:
        sizes = [node.bytes_ for node in saved]
        known = "" if None in sizes else f" of {size(sum(number or 0 for number in sizes))}"
        parts.append(f"{count(len(saved), 'tensor')}{known} saved for the backward pass")
    return f"{graph.name}: {' · '.join(parts)}"


def node_columns(node: Node) -> tuple[str, str, str]:
    """A node's name with its operator where the name does not say it, its line, what it gives."""
    operator = short_name(shown_operator(node)) if node.is_compute else node.op
    # What a function made has no name of its own: `boolean_dispatch.<locals>.fn`.
    is_said = (
        "<locals>" in node.target or node.name.removeprefix(operator).strip("._0123456789") == ""
    )
    name = node.name if is_said else f"{node.name} = {operator}"
    return name, labels.line(node.line), ", ".join(map(labels.shape, node.tensors))


def operators_blocks(graphs: Sequence[GraphOperators]) -> list[tuple[str, GraphOperators]]:
    """Each graph with its title; one that has the operators of the one before is named with it."""
    blocks: list[tuple[str, GraphOperators]] = []
    for graph in graphs:
        last = blocks[-1][1] if blocks else None
        if last is not None and _same(last, graph):
            title = f"{blocks[-1][0]}, {graph.stage.value}"
            blocks[-1] = title, last
        else:
            blocks.append((graph.graph, graph))
    titled = []
    for names, graph in blocks:
        inside = f", and {graph.total_inside:,} in inner graphs" if graph.inside else ""
        titled.append((f"{names}: {count(graph.total, 'operator')}{inside}", graph))
    return titled


def _same(first: GraphOperators, second: GraphOperators) -> bool:
    """Whether a pass changed nothing: graphs of one compilation have its id in front."""
    keys = [
        (graph.graph.partition(" ")[0], graph.operators, graph.inside) for graph in (first, second)
    ]
    return first.stage is not second.stage and keys[0] == keys[1]


def operator_lines(graph: GraphOperators) -> Iterator[tuple[str, str]]:
    """Each kind of operator with how many there are, and which."""
    for kind in OperatorKind:
        found = [item for item in graph.operators if item.kind is kind]
        if found:
            yield f"{kind.value} {graph.of_kind(kind)}", _counted(found)
    if graph.inside:
        yield f"in inner graphs: {graph.total_inside}", _counted(graph.inside)


def _counted(found: Sequence[OperatorCount]) -> str:
    names = [f"{item.operator} {TIMES}{item.count}" for item in found[:_MOST_COUNTED]]
    more = len(found) - _MOST_COUNTED
    names += [count(more, "other")] if more > 0 else []
    return ", ".join(names)


def decomposition_lines(found: Sequence[Decomposition]) -> Iterator[tuple[str, str]]:
    """What operators became; those that stay what they are, in one line."""
    for item in found:
        if not item.is_kept:
            number = f" {TIMES}{item.count}" if item.count is not None else ""
            parts = ", ".join(f"{part.operator} {TIMES}{part.count}" for part in item.into)
            inlined = "inlined; the operators of its graphs are listed separately"
            is_inlined = item.operator.startswith(("higher_order.", "torch._higher_order_ops."))
            yield item.operator + number, parts or (inlined if is_inlined else "nothing")
    kept = [item.operator for item in found if item.is_kept]
    if kept:
        yield "unchanged", ", ".join(kept)
