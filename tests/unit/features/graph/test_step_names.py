"""How kernels and calls are named, and what those do that compute nothing of their own."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.graph.step_names import described, named_nodes, part_of
from inspector.run.graph import Node
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node

X = node("x", "")
NEG = node("neg", "aten.neg.default", "x", at=4)
RELU = node("relu", "aten.relu.default", "neg", at=5)
VIEW = node("view", "aten.view.default", "relu", at=6)
MM = node("mm", "aten.mm.default", "view", at=7, aten="aten.addmm.default")
ABS = node("abs", "aten.abs.default", "mm", at=8)


def of(*kernels: Kernel) -> Fusion:
    return fusion(graph(X, NEG, RELU, VIEW, MM, ABS), *kernels)


def step(*nodes: Node, kind: str = "pointwise", again: tuple[str, ...] = ()) -> Step:
    made = of(Kernel("k", ("neg",), {"x": SIZE}, {"b": SIZE})).steps[0]
    return dataclasses.replace(made, operators=nodes, kind=kind, again=frozenset(again))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (step(), "k"),
        (step(NEG, RELU), "`neg, relu` (model.py:4)"),
        (step(NEG, RELU, again=("neg",)), "`relu` (model.py:5)"),
        (step(NEG, again=("neg",)), "`neg` (model.py:4)"),
        (step(VIEW), "`view` (model.py:6)"),
        (step(NEG, RELU, VIEW, ABS), "`neg, relu…` (model.py:4)"),
        (step(RELU, VIEW, MM, kind="extern"), "`addmm` (model.py:7)"),
        (step(RELU, MM, ABS, kind="template"), "`addmm, abs` (model.py:7)"),
        (step(NEG, RELU, kind="template"), "`neg, relu` (model.py:4)"),
        (step(dataclasses.replace(NEG, stack=()), RELU), "`neg, relu` (model.py:5)"),
    ],
)
def test_steps_are_named_after_what_they_compute(found: Step, said: str) -> None:
    assert described(found) == said
    assert described(found, 3) == f"#3 {said}"


def parts(*again: tuple[str, ...], kinds: tuple[str, str], reads: str = "x") -> list[str]:
    made = of(Kernel("k0", ("neg",), {"x": SIZE}, {"b0": SIZE}, kinds[0]),
              Kernel("k1", ("neg",), {reads: SIZE}, {"b1": SIZE}, kinds[1]))  # fmt: skip
    steps = tuple(
        dataclasses.replace(step, again=frozenset(names))
        for step, names in zip(made.steps, again, strict=True)
    )
    made = dataclasses.replace(made, steps=steps)
    return [part_of(made, step) for step in made.steps]


def test_what_belongs_to_another_step_has_a_part() -> None:
    same = ("pointwise", "pointwise")
    assert parts((), ("neg",), kinds=same) == ["", "recomputes `neg`"]
    assert parts((), ("neg",), kinds=same, reads="b0") == ["", "finishes `neg`"]
    assert parts(("neg",), (), kinds=same) == ["prepares `neg`", ""]
    assert parts(("neg",), (), kinds=("pointwise", "extern")) == [
        "copies or reorders inputs of `neg`",
        "",
    ]
    assert parts(("neg",), ("neg",), kinds=same) == ["a part of `neg`"] * 2
    assert not part_of(of(), step())
    assert not named_nodes(step())
