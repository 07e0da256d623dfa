"""Graphs made by hand, and what is in the pictures of them."""

import dataclasses
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Any

import pytest

from inspector.cli.graph_files import render
from inspector.features.graph.drawing.fusion_dot import fusion_dot
from inspector.features.graph.drawing.options import Caption, around
from inspector.features.graph.drawing.roles import Roles
from inspector.features.graph.drawing.stage_dot import stage_dot
from inspector.features.graph.fusion import Fusion
from inspector.records.fusion import Buffer
from inspector.run.graph import Graph, Node, Stage
from tests.unit.fusions import SIZE, Kernel, fusion, node, tensor

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="`dot` is not installed")

CAPTION = Caption("bert", "0/0 forward", "NVIDIA H200", "2.13.0")
HOSTILE = (
    "</svg><script>alert(1)</script>",
    'quotes " and \' and "',
    r"\N \G \E \T \H \L \n \l \\ end\ ".strip(),
    "two\nlines\tand a tab",
    "{a|<port> b}",
    "<b>bold</b>",
    "<table><tr><td>x</td></tr></table>",
    "&lt;script&gt; &amp; &#60;",
    "-->]]><![CDATA[",
    "a:b",
    "%3Cscript%3E ${x} $(y) `z`",
    "\u202ereversed",
)


def operator(name: str, target: str, *inputs: str, at: int = 31, **fields: Any) -> Node:
    return node(name, target, *inputs, at=at, **fields)


def taken(name: str, *shape: int | str) -> Node:
    return node(name, "", tensors=(tensor(*shape),))


def graph(*nodes: Node, stage: Stage = Stage.FORWARD, returns: Iterable[str] = ()) -> Graph:
    output = Node("output", "output", "output", tuple(returns) or (nodes[-1].name,))
    return Graph("0/0", stage, "", (*nodes, output))


def layers(count: int) -> Graph:
    """Layers one behind the other, each of a linear layer, an activation and an addition."""
    nodes = [taken("x", 8, 64)]
    last = "x"
    for n in range(count):
        module = (("layers", "ModuleList"), (f"layers.{n}", "Layer"))
        inner = (*module, (f"layers.{n}.linear", "Linear"))
        nodes += [
            taken(f"weight_{n}", 64, 64),
            operator(f"mm_{n}", "aten.mm.default", last, f"weight_{n}", modules=inner, flops=1000),
            operator(f"relu_{n}", "aten.relu.default", f"mm_{n}", modules=inner),
            operator(f"add_{n}", "aten.add.Tensor", f"relu_{n}", last, modules=module),
        ]
        last = f"add_{n}"
    return graph(*nodes)


def fused_layers(count: int) -> Fusion:
    """Each layer a call of a library and a kernel of two operators."""
    kernels: list[Kernel] = []
    buffers = [Buffer("x", "input", dtype="float32", shape=(8, 64))]
    last = "x"
    for n in range(count):
        weight, first, second = f"weight_{n}", f"buf{2 * n}", f"buf{2 * n + 1}"
        kernels += [
            Kernel("aten.mm.out", (f"mm_{n}",), {last: SIZE, weight: 8 * SIZE}, {first: SIZE},
                   "extern"),
            Kernel(f"triton_poi_fused_add_relu_{n}", (f"relu_{n}", f"add_{n}"),
                   {first: SIZE, last: SIZE}, {second: SIZE}),
        ]  # fmt: skip
        kind = "output" if n == count - 1 else "intermediate"
        buffers += [
            Buffer(weight, "input", dtype="float32", shape=(64, 64)),
            Buffer(first, "intermediate", dtype="float32", shape=(8, 64), origin=f"mm_{n}"),
            Buffer(second, kind, dtype="float32", shape=(8, 64), origin=f"add_{n}"),
        ]
        last = second
    found = dataclasses.replace(layers(count), stage=Stage.POST_GRAD)
    return fusion(found, *kernels, buffers=tuple(buffers))


@dataclasses.dataclass(frozen=True, slots=True)
class Drawn:
    """The texts, the tooltips and the names of all elements of an SVG."""

    texts: list[str]
    tooltips: list[str]
    elements: set[str]


def drawn(dot_text: str) -> Drawn:
    """Has `dot` draw it, and reads the SVG."""
    root = ET.fromstring(render(dot_text, ".svg"))  # noqa: S314  our own
    href = "{http://www.w3.org/1999/xlink}title"
    # `dot` draws the spaces at the ends of words as these.
    texts = ("".join(found.itertext()) for found in root.iter() if found.tag.endswith("text"))
    return Drawn(
        texts=[" ".join(text.split()) for text in texts],
        tooltips=[found.attrib[href] for found in root.iter() if href in found.attrib],
        elements={re.sub(r"\{.*\}", "", found.tag) for found in root.iter()},
    )


def stage_picture(*nodes: Node, stage: Stage = Stage.FORWARD) -> str:
    return stage_dot(graph(*nodes, stage=stage), CAPTION)


def in_modules(*names: str) -> list[tuple[tuple[str, str], ...]]:
    return [((name, name.upper()),) for name in names]


A, B = in_modules("a", "b")
X = taken("x", 8, 64)
PARAMETERS = Roles(parameters=frozenset(f"weight_{n}" for n in range(100)))
PICTURES = {
    "stage": lambda: stage_dot(layers(2), CAPTION),
    "stage_saved": lambda: stage_picture(
        X, operator("relu", "aten.relu.default", "x", is_saved=True)
    ),
    "stage_joint": lambda: stage_picture(
        X,
        operator("mm", "aten.mm.default", "x", modules=A),
        operator("mm_1", "aten.mm.default", "mm", modules=A, is_backward=True),
        stage=Stage.JOINT,
    ),
    "stage_parameters": lambda: stage_dot(layers(2), CAPTION, PARAMETERS),
    "stage_of_a_module_called_twice": lambda: stage_picture(
        X,
        operator("n1", "aten.relu.default", "x", modules=A),
        operator("n2", "aten.relu.default", "n1", modules=B),
        operator("n3", "aten.relu.default", "n2", modules=A),
    ),
    "stage_around": lambda: stage_dot(around(layers(5), "RELU_2", 1), CAPTION),
    "fusion": lambda: fusion_dot(fused_layers(2), CAPTION, roles=PARAMETERS),
    "fusion_repeats": lambda: fusion_dot(fused_layers(40), CAPTION, roles=PARAMETERS),
}  # fmt: skip
"""Snapshots of these are golden files."""
