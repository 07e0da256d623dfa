"""Products that became one node with what follows them."""

import dataclasses

import pytest

from inspector.features.graph.reading import with_products
from inspector.run.graph import Graph, Stage
from tests.unit.fusions import graph, node

PRODUCT = node("mm", "aten.mm.default", "x", "w", at=4, flops=1000)
SUM = node("add", "aten.add.Tensor", "r", "view", at=9)
FUSED = node(
    "addmm_default", "aten.addmm.default", "r", "x", "w",
    at=9, flops=1000, aten="aten.add.Tensor", earlier=("add",),
)  # fmt: skip
INPUTS = tuple(node(name, "") for name in ("x", "w", "r"))


def before() -> Graph:
    view = node("view", "aten.view.default", "mm")
    return graph(*INPUTS, PRODUCT, view, SUM, stage=Stage.INFERENCE)


def test_what_a_product_and_a_sum_became_is_the_product() -> None:
    later = graph(*INPUTS, FUSED)
    found = with_products(later, before()).nodes[-1]
    assert [frame.line for frame in found.stack] == [4]
    assert found.aten == "aten.mm.default"
    assert found.earlier == ("mm", "add")
    assert found.target == "aten.addmm.default"


@pytest.mark.parametrize(
    "changed", [{"earlier": ()}, {"inputs": ("packed", "r")}], ids=["by inputs", "by name"]
)
def test_it_is_known_by_what_it_multiplies_or_by_its_earlier_name(
    changed: dict[str, object],
) -> None:
    later = graph(*INPUTS, dataclasses.replace(FUSED, **changed))  # type: ignore[arg-type]
    assert with_products(later, before()).nodes[-1].aten == "aten.mm.default"


def test_a_product_that_is_still_there_is_nobody_else_s() -> None:
    later = graph(*INPUTS, PRODUCT, FUSED)
    assert with_products(later, before()).nodes == later.nodes


def test_without_the_graph_before_its_name_nothing_is_made_up() -> None:
    changed = dataclasses.replace(FUSED, earlier=("other",), inputs=("packed", "r"))
    later = graph(*INPUTS, changed)
    assert with_products(later, before()).nodes == later.nodes
