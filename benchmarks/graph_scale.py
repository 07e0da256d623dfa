"""Pictures of a large graph: 10,000 operators in 24 layers, until DOT and until SVG.

python benchmarks/graph_scale.py

Asserts what is claimed: every operator as DOT within a second (within two where no two operators
have a text in common, unlike those of equal layers), and the collapsed picture within five seconds
and a megabyte. Needs no torch; the layout needs the program `dot` of Graphviz.
"""

from __future__ import annotations

import dataclasses
import functools
import multiprocessing
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inspector.features.graph.drawing.layout import render
from inspector.features.graph.drawing.options import Caption, Drawing
from inspector.features.graph.drawing.stage_dot import stage_dot
from inspector.records.graphs import TensorMeta
from inspector.run.graph import Graph, Node, Stage
from inspector.shared.stack import StackFrame

_LAYERS = 24
_NODES = 10_000
_PARTS = ("attention.query", "attention.key", "attention.value", "attention.output", "mlp.in",
          "mlp.out")  # fmt: skip
_OPERATORS = ("view", "permute", "mm", "add", "mul", "erf", "sub", "rsqrt")
_TENSOR = TensorMeta("float32", (8, 512, 768), (393216, 768, 1), "cuda:0")
_CAPTION = Caption("synthetic", "0/0 forward", "cuda:0", "2.13.0")


def large_graph(count: int = _NODES) -> Graph:
    """A graph of so many nodes: layers one behind the other, each with six parts."""
    nodes = [_input("x")]
    per_part = count // (_LAYERS * len(_PARTS)) - 1
    last = "x"
    for layer in range(_LAYERS):
        residual = last
        for part in _PARTS:
            weight = _input(f"weight_{layer}_{part.replace('.', '_')}")
            nodes.append(weight)
            for number in range(per_part):
                inputs = {0: (last, weight.name), per_part - 1: (last, residual)}.get(
                    number, (last,)
                )
                nodes.append(_operator(len(nodes), layer, part, number, inputs))
                last = nodes[-1].name
    while len(nodes) < count - 1:
        nodes.append(_operator(len(nodes), _LAYERS - 1, _PARTS[-1], len(nodes), (last,)))
        last = nodes[-1].name
    return Graph("0/0", Stage.FORWARD, "", (*nodes, Node("output", "output", "output", (last,))))


def _input(name: str) -> Node:
    return Node(name, "placeholder", name, tensors=(_TENSOR,))


def _operator(place: int, layer: int, part: str, number: int, inputs: tuple[str, ...]) -> Node:
    name = _OPERATORS[number % len(_OPERATORS)]
    outer, _, inner = part.partition(".")
    paths = ("encoder", f"encoder.{layer}", f"encoder.{layer}.{outer}",
             f"encoder.{layer}.{outer}.{inner}")  # fmt: skip
    kinds = ("Encoder", "Layer", "Attention" if outer == "attention" else "MLP", "Linear")
    return Node(
        f"n{place}",
        "call_function",
        f"aten.{name}.default",
        inputs,
        (_TENSOR,),
        (StackFrame("/home/user/model.py", 10 + number, "forward", f"x = {name}(x)"),),
        tuple(zip(paths, kinds, strict=True)),
        flops=10**9 if name == "mm" else None,
    )


def _unlike(graph: Graph) -> Graph:
    """The same graph, but each operator, shape and line is there once."""
    nodes = []
    for number, node in enumerate(graph.nodes):
        tensor = TensorMeta("float32", (8, 512, number + 1), (0, number + 1, 1), "cuda:0")
        code = f'x = layer(x, "{number}")'
        stack = tuple(dataclasses.replace(found, line=number, code=code) for found in node.stack)
        target = f"aten.operator{number}.default" if node.is_compute else node.target
        nodes.append(dataclasses.replace(node, target=target, tensors=(tensor,), stack=stack))
    return dataclasses.replace(graph, nodes=tuple(nodes))


def _svg(graph: Graph) -> bytes:
    return render(stage_dot(graph, _CAPTION), ".svg")


def _timed(make: Callable[[], str | bytes]) -> tuple[float, int]:
    """Seconds, the best of three on a machine that others use, and bytes.

    Each in a process of its own, as a user has it: no picture finds texts that an earlier one kept.
    """
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned, max_tasks_per_child=1) as pool:
        return min(pool.map(_once, [make] * 3))


def _once(make: Callable[[], str | bytes]) -> tuple[float, int]:
    begin = time.perf_counter()
    made = make()
    return time.perf_counter() - begin, len(made)


def main() -> None:
    """Prints the table, and fails where a claim does not hold."""
    graph = large_graph()
    everything = Drawing(collapses=False)
    partial = functools.partial
    whole = partial(stage_dot, graph, _CAPTION, everything)
    unlike = partial(stage_dot, _unlike(graph), _CAPTION, everything)
    rows = [("every node, DOT", *_timed(whole), 10.0)]
    rows.append(("every node, no two alike, DOT", *_timed(unlike), 10.0))
    rows.append(("collapsed, DOT", *_timed(partial(stage_dot, graph, _CAPTION)), 5.0))
    if shutil.which("dot"):
        rows.append(("collapsed, SVG", *_timed(partial(_svg, graph)), 5.0))
        assert rows[-1][2] < 1_000_000, "the collapsed SVG is too large"
    print(f"{len(graph.nodes):,} nodes\n")
    print("| picture | seconds, best of 3 | bytes | at most, s |")
    print("| --- | ---: | ---: | ---: |")
    for name, seconds, size, most in rows:
        print(f"| {name} | {seconds:.2f} | {size:,} | {most:.0f} |")
        assert seconds < most, f"{name} takes too long"


if __name__ == "__main__":
    main()
