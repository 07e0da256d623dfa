"""Graphs made by hand, and what is in the pictures of them."""

from __future__ import annotations

import dataclasses
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterable

import pytest

from inspector.features.graph.drawing.layout import render
from inspector.features.graph.fusion import Fusion
from inspector.features.graph.make_fusion import make_fusion
from inspector.records.fusion import Buffer, FusionPlan, Launch, Operation
from inspector.records.graphs import TensorMeta
from inspector.run.graph import Graph, Node, Stage
from inspector.shared.stack import StackFrame

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="`dot` is not installed")

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


def tensor(*shape: int | str, dtype: str = "float32") -> TensorMeta:
    return TensorMeta(dtype, shape, (), "cpu")


def operator(
    name: str,
    target: str,
    *inputs: str,
    module: tuple[tuple[str, str], ...] = (),
    line: int = 31,
    **fields: object,
) -> Node:
    stack = (StackFrame("/home/user/model.py", line, "forward", "x = f(x)"),)
    node = Node(name, "call_function", target, inputs, (tensor(8, 64),), stack, module)
    return dataclasses.replace(node, **fields)  # type: ignore[arg-type]


def taken(name: str, *shape: int | str) -> Node:
    return Node(name, "placeholder", name, tensors=(tensor(*shape),))


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
            operator(f"mm_{n}", "aten.mm.default", last, f"weight_{n}", module=inner, flops=1000),
            operator(f"relu_{n}", "aten.relu.default", f"mm_{n}", module=inner),
            operator(f"add_{n}", "aten.add.Tensor", f"relu_{n}", last, module=module),
        ]
        last = f"add_{n}"
    return graph(*nodes)


def fused_layers(count: int) -> Fusion:
    """Each layer a call of a library and a kernel of two operators."""
    found = dataclasses.replace(layers(count), stage=Stage.POST_GRAD, direction="inference")
    operations, launches = [], []
    buffers = {"x": Buffer("x", "input", dtype="float32", shape=(8, 64))}
    last = "x"
    for n in range(count):
        weight, first, second = f"weight_{n}", f"buf{2 * n}", f"buf{2 * n + 1}"
        buffers[weight] = Buffer(weight, "input", dtype="float32", shape=(64, 64))
        buffers[first] = Buffer(
            first, "intermediate", dtype="float32", shape=(8, 64), origin=f"mm_{n}"
        )
        kind = "output" if n == count - 1 else "intermediate"
        buffers[second] = Buffer(second, kind, dtype="float32", shape=(8, 64), origin=f"add_{n}")
        reads, writes = {last: 2048, weight: 16384}, {first: 2048}
        operations.append(
            Operation(f"op{2 * n}", "extern", (f"mm_{n}",), f"mm_{n}", "aten.mm.out", reads=reads,
                      writes=writes)
        )  # fmt: skip
        launches.append(Launch((f"op{2 * n}",), "extern", reads=reads, writes=writes, bytes_=20480))
        reads, writes = {first: 2048, last: 2048}, {second: 2048}
        origins = (f"relu_{n}", f"add_{n}")
        operations.append(
            Operation(f"op{2 * n + 1}", "pointwise", origins, f"add_{n}", reads=reads,
                      writes=writes)
        )  # fmt: skip
        launches.append(
            Launch((f"op{2 * n + 1}",), "pointwise", kernel=f"triton_poi_fused_add_relu_{n}",
                   number=n, reads=reads, writes=writes, bytes_=6144)
        )  # fmt: skip
        last = second
    plan = FusionPlan("", "inference", tuple(operations), tuple(launches), buffers, ())
    return make_fusion(plan, found)


@dataclasses.dataclass(frozen=True, slots=True)
class Drawn:
    """What is in an SVG.

    Attributes:
        texts: All texts.
        tooltips: All tooltips.
        nodes: By id, the texts of a box.
        frames: Ids of the frames, each with its texts.
        arrows: From and to, by id.
        elements: Names of all elements.
    """

    texts: list[str]
    tooltips: list[str]
    nodes: dict[str, list[str]]
    frames: dict[str, list[str]]
    arrows: set[tuple[str, str]]
    elements: set[str]


def drawn(dot_text: str) -> Drawn:
    """Has `dot` draw it, and reads the SVG."""
    root = ET.fromstring(render(dot_text, ".svg"))  # noqa: S314  our own
    groups = {kind: _groups(root, kind) for kind in ("node", "cluster", "edge")}
    arrows = {tuple(name.split("->")) for name in groups["edge"]}
    href = "{http://www.w3.org/1999/xlink}title"
    return Drawn(
        texts=_texts(root),
        tooltips=[found.attrib[href] for found in root.iter() if href in found.attrib],
        nodes=groups["node"],
        frames=groups["cluster"],
        arrows={(arrow[0], arrow[1]) for arrow in arrows},
        elements={re.sub(r"\{.*\}", "", found.tag) for found in root.iter()},
    )


def _texts(element: ET.Element) -> list[str]:
    # `dot` draws the spaces at the ends of words as these.
    texts = ("".join(found.itertext()) for found in element.iter() if found.tag.endswith("text"))
    return [" ".join(text.split()) for text in texts]


def _groups(root: ET.Element, kind: str) -> dict[str, list[str]]:
    found = (element for element in root.iter() if element.get("class") == kind)
    return {_title(element): _texts(element) for element in found}


def _title(element: ET.Element) -> str:
    return next(child.text or "" for child in element if child.tag.endswith("title"))
