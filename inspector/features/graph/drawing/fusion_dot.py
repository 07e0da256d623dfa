"""The fusion diagram: every kernel with the operators in it, and the tensors between kernels."""

import math
from collections.abc import Sequence

import graphviz

from inspector.features.graph.drawing import labels, style
from inspector.features.graph.drawing.fusion_box import kernel_label, kernel_tooltip
from inspector.features.graph.drawing.fusion_flow import Amount, Flow, FusionFlow, make_flow
from inspector.features.graph.drawing.fusion_repeats import Shown, make_shown
from inspector.features.graph.drawing.options import Caption
from inspector.features.graph.drawing.picture import Cell, new_picture, table
from inspector.features.graph.drawing.roles import Roles, make_roles
from inspector.features.graph.fusion import Fusion
from inspector.features.graph.step_names import number_of, part_of
from inspector.records.fusion import Buffer
from inspector.records.graphs import TensorMeta

_LOWEST = 6
_MOST_KERNELS = 60
# What goes on stays in one line, and what ends stands beside it.
_STRAIGHT = "30"
_THINNEST, _WIDEST = 0.8, 4.0
_INPUT = style.Look("input", "#666666", "#ffffff")
_RESULT = style.Look("result", "#666666", "#e4e4e4", width=2)
_PREPARED = style.Look("reads only parameters", "#666666", "#f2f2f2", "dotted")
_LEGEND = (
    "A box is a kernel or a library call. It lists the computed operators and their lines.",
    "An arrow is a tensor in memory; wider arrows carry more bytes.",
)


def fusion_dot(
    fusion: Fusion, caption: Caption, roles: Roles | None = None, *, is_whole: bool = False
) -> str:
    """Draws what was fused; of many kernels those that repeat once, unless it is to be whole."""
    flow = make_flow(fusion, roles or make_roles(fusion.graph))
    shown = make_shown(flow, None if is_whole else _MOST_KERNELS)
    return _Picture(fusion, flow, shown).draw(caption)


class _Picture:
    def __init__(self, fusion: Fusion, flow: FusionFlow, shown: Shown) -> None:
        self._fusion = fusion
        self._flow = flow
        self._shown = shown
        self._most = max((flow.bytes_ for flow in shown.flows), default=1)
        self._ends: dict[tuple[str, str], str] = {}

    def draw(self, caption: Caption) -> str:
        kinds = dict.fromkeys(kernel.step.call_kind for kernel in self._flow.kernels)
        looks = [style.look_of(kind) for kind in kinds]
        steps = [kernel.step for kernel in self._flow.kernels]
        calls = sum(step.is_call for step in steps)
        operators = len({node.name for step in steps for node in step.operators})
        kernels = len(steps) - calls + len(self._flow.prepared)
        made = f"{labels.count(operators, 'operator')} became {labels.count(kernels, 'kernel')}"
        made += f" and {labels.count(calls, 'call')}" if calls else ""
        picture = new_picture(caption, (labels.traffic(self._fusion), made), looks, _LEGEND)
        inside: set[int] = set()
        for number, repeat in enumerate(self._shown.repeats):
            inside.update(repeat.places[0])
            with picture.subgraph(name=f"cluster_repeat{number}") as cluster:
                rows = [[Cell(text, bold=not n, size=9 + 3 * (not n))]
                        for n, text in enumerate(self._about(number))]  # fmt: skip
                cluster.attr(label=table(rows, padding=1), penwidth="2", color=style.MUTED,
                             bgcolor="#fafafa", tooltip=f"{len(repeat.places)} times")  # fmt: skip
                self._add_boxes(cluster, repeat.places[0])
        self._add_boxes(picture, [place for place in self._shown.places if place not in inside])
        if self._flow.prepared:
            self._add_prepared(picture)
        self._add_flows(picture)
        return str(picture.source)

    def _add_boxes(self, picture: graphviz.Digraph, places: Sequence[int]) -> None:
        for place in places:
            kernel = self._flow.kernels[place]
            tooltip = labels.in_tooltip(kernel_tooltip(kernel))
            number = number_of(self._fusion, kernel.step)
            label = kernel_label(kernel, number, part_of(self._fusion, kernel.step))
            picture.node(f"k{place}", label=label, tooltip=tooltip)

    def _about(self, number: int) -> list[str]:
        repeat = self._shown.repeats[number]
        lines = [f"{labels.TIMES} {len(repeat.places)}"]
        if len(repeat.layers) > 1:
            lines[0] += f"   {repeat.layers[0]} … {repeat.layers[-1]}"
        found = {self._tensors([flow]): None for flow in self._shown.carried[number]}
        if found:
            lines.append(f"each passes {labels.listed(list(found))} to the next")
        return lines

    def _add_prepared(self, picture: graphviz.Digraph) -> None:
        steps = self._flow.prepared
        moved = Amount.of(step.bytes_ or 0 for step in steps)
        look = style.Look("", _PREPARED.colour, "white", _PREPARED.border, 1)
        rows = [
            [Cell(f"{labels.count(len(steps), 'kernel')} that read only parameters", bold=True,
                  fill=_PREPARED.fill)],
            [Cell("change their memory layout", size=9)],
            [Cell(f"{labels.size(moved.bytes_)} read and written", size=9, colour=style.MUTED)],
        ]  # fmt: skip
        tooltip = labels.in_tooltip(f"{step.name}: {', '.join(step.reads)}" for step in steps)
        picture.node("prepared", label=table(rows, look), tooltip=tooltip)

    def _add_flows(self, picture: graphviz.Digraph) -> None:
        labelled: set[str] = set()
        lengths = _lengths(self._shown.flows)
        followed = {flow.source for flow in self._shown.flows}
        together: dict[tuple[int, int, str], list[Flow]] = {}
        # The nearest reader first: that arrow has the label.
        for flow in sorted(self._shown.flows, key=lambda flow: (flow.source, flow.target)):
            is_end = min(flow.source, flow.target) < 0
            key = flow.source, flow.target, flow.buffer.name if is_end else ""
            together.setdefault(key, []).append(flow)
        for (source, target, _), flows in together.items():
            buffer = flows[0].buffer
            ends = (
                f"k{source}" if source >= 0 else self._end(picture, buffer, _INPUT),
                f"k{target}" if target >= 0 else self._end(picture, buffer, _RESULT),
            )
            names = {flow.buffer.name for flow in flows}
            is_new = min(source, target) >= 0 and not names <= labelled
            labelled |= names
            text = table([[Cell(self._tensors(flows), size=8, colour=style.MUTED)]])
            tooltip = labels.in_tooltip(
                line
                for flow in flows
                for line in (f"{flow.buffer.name}: {self._tensors([flow])}", *_strides(flow.buffer))
            )
            # By the square root: half the bytes still are to be seen.
            share = math.sqrt(max(flow.bytes_ for flow in flows) / max(self._most, 1))
            picture.edge(
                *ends,
                label=text if is_new else None,
                tooltip=tooltip,
                labeltooltip=tooltip,
                minlen=str(lengths.get((source, target), 1)),
                penwidth=f"{_THINNEST + (_WIDEST - _THINNEST) * share:.1f}",
                weight=_STRAIGHT if target in followed else "1",
            )

    def _tensors(self, flows: Sequence[Flow]) -> str:
        """``f32[8, 64] · 2.0 KiB``; of several tensors how many, and their shape if it is one."""
        found = [shape for flow in flows for shape in self._shapes(flow)]
        size = labels.size(sum(flow.bytes_ for flow in flows))
        if not all(found):
            return f"several tensors · {size}"
        if len(found) == 1:
            return f"{found[0]} · {size}"
        is_one = len(set(found)) == 1
        text = f"{len(found)} {labels.TIMES} {found[0]}" if is_one else f"{len(found)} tensors"
        return f"{text} · {size}"

    def _shapes(self, flow: Flow) -> list[str]:
        """The shapes of a tensor, or of all that a call gives together; of an unknown one empty."""
        if flow.buffer.dtype or flow.source < 0:
            return [_shape(flow.buffer)]
        operators = self._flow.kernels[flow.source].step.operators
        return [labels.shape(tensor) for node in operators[-1:] for tensor in node.tensors] or [""]

    def _end(self, picture: graphviz.Digraph, buffer: Buffer, look: style.Look) -> str:
        """An input or a result of the graph; the same one again is the same shape."""
        is_input = look is _INPUT
        number = len(self._ends)
        end = self._ends.setdefault((look.word, buffer.name), f"{'i' if is_input else 'o'}{number}")
        name = buffer.name if is_input or not buffer.origin else buffer.origin
        rows = [[Cell(f"{look.word} {labels.elided(name, 24)}", bold=True, align="center")],
                [Cell(_shape(buffer) or "several tensors", size=9, align="center")]]  # fmt: skip
        tooltip = labels.in_tooltip([name, *_strides(buffer)])
        picture.node(end, label=table(rows, look), tooltip=tooltip)
        return end


def _lengths(flows: Sequence[Flow]) -> dict[tuple[int, int], int]:
    """How many ranks lie between ends: what nothing follows, or precedes, stands below each other.

    Gradients of parameters do the one, masks the other; side by side, dozens of them make a picture
    too wide to read.
    """
    inner = dict.fromkeys(
        (flow.source, flow.target) for flow in flows if min(flow.source, flow.target) >= 0
    )
    sources = {source for source, _ in inner}
    targets = {target for _, target in inner}
    lasts: dict[int, list[tuple[int, int]]] = {}
    firsts: dict[int, list[tuple[int, int]]] = {}
    for source, target in inner:
        if target not in sources:
            lasts.setdefault(source, []).append((source, target))
        elif source not in targets:
            firsts.setdefault(target, []).append((source, target))
    return {
        ends: 1 + number % _LOWEST
        for group in (*firsts.values(), *lasts.values())
        for number, ends in enumerate(group)
    }


def _shape(buffer: Buffer) -> str:
    tensor = TensorMeta(buffer.dtype, buffer.shape, buffer.stride, buffer.device)
    return labels.shape(tensor) if buffer.dtype else ""


def _strides(buffer: Buffer) -> list[str]:
    return [f"strides {list(buffer.stride)} on {buffer.device}"] if buffer.stride else []
