"""What an operator would read and write as a kernel of its own."""

import dataclasses
from typing import Any

import pytest

from inspector.features.graph.traffic import Traffic
from inspector.run.graph import Node
from tests.unit.fusions import SIZE, graph, node, tensor

X = node("x", "")
BIAS = node("bias", "", tensors=(tensor(64),))
VIEW = node("view", "aten.reshape.default", "x")
EXPAND = node("expand", "aten.expand.default", "bias")
ADD = node("add", "aten.add.Tensor", "view", "expand")
SYMBOL = node("symbol", "aten.relu.default", "x", tensors=(tensor("s0", 64),))
BEHIND = node("behind", "aten.neg.default", "symbol")
SLICE = node("slice_1", "aten.slice.Tensor", "x", tensors=(tensor(2, 64),))
NEG = node("neg", "aten.neg.default", "slice_1", tensors=(tensor(2, 64),))
TAKEN = node("getitem", "_operator.getitem", "pair")
PAIR = node("pair", "aten.var_mean.correction", "x", tensors=(tensor(8, 1), tensor(8, 1)))
GRAPH = graph(X, BIAS, VIEW, EXPAND, ADD, SYMBOL, BEHIND, SLICE, NEG, PAIR, TAKEN)


@pytest.mark.parametrize(
    ("found", "size"),
    [
        (VIEW, 0),
        (EXPAND, 0),
        (TAKEN, 0),
        (ADD, 2 * SIZE + 4 * 64),  # of what is expanded, what there is of it
        (SYMBOL, None),
        (BEHIND, None),
        (NEG, SIZE // 2),  # of a slice, the slice
        (PAIR, SIZE + 2 * 8 * 4),
        (node("odd", "aten.neg.default", tensors=(tensor(8, dtype="float3"),)), None),
        (node("huge", "aten.neg.default", tensors=(tensor(*[2**62] * 9),)), None),
    ],
)
def test_bytes_alone(found: Node, size: int | None) -> None:
    nodes = GRAPH.nodes if found in GRAPH.nodes else (*GRAPH.nodes, found)
    assert Traffic(graph(*nodes)).bytes_of(found) == size


def decomposed(name: str, target: str, *inputs: str, **changes: Any) -> Node:
    return node(name, target, *inputs, aten="aten.gelu.default", earlier=("gelu",), **changes)


def test_what_was_one_operator_is_one_kernel() -> None:
    """In eager PyTorch ``gelu`` reads its input once and writes its result, and nothing else."""
    first = decomposed("mul", "aten.mul.Tensor", "x")
    second = decomposed("erf", "aten.erf.default", "mul")
    last = decomposed("mul_1", "aten.mul.Tensor", "erf", "x")
    after = node("neg", "aten.neg.default", "mul_1")
    traffic = Traffic(graph(X, first, second, last, after))
    assert traffic.operator(second) == (first, second, last)
    assert traffic.bytes_of(first) == traffic.bytes_of(last) == 2 * SIZE
    assert traffic.results(first) == [last]
    assert traffic.operator(after) == (after,)


def test_what_others_take_is_a_result_through_views_as_well() -> None:
    first = decomposed("mul", "aten.mul.Tensor", "x")
    view = decomposed("view", "aten.reshape.default", "mul")
    last = decomposed("erf", "aten.erf.default", "view")
    user = node("neg", "aten.neg.default", "view")
    traffic = Traffic(graph(X, first, view, last, user))
    assert traffic.results(last) == [first, last]
    assert traffic.bytes_of(last) == 3 * SIZE


CACHE = node("cache", "", tensors=(tensor(1000, 64),))
ROW_BYTES = 2 * 64 * 4


def test_a_circle_in_a_damaged_recording_ends() -> None:
    first = node("first", "aten.view.default", "second")
    second = node("second", "aten.view.default", "first")
    copy = node("copy_", "aten.copy_.default", "x", "first")
    assert Traffic(graph(X, first, second, copy)).operator(copy) == (copy,)


def test_a_bag_reads_the_rows_that_it_adds_up() -> None:
    places = node("places", "", tensors=(tensor(2, 3, dtype="int64"),))
    made = node("bag", "aten._embedding_bag.default", "cache", "places", tensors=(tensor(2, 64),))
    found = Traffic(graph(CACHE, places, made))
    assert found.taken_bytes(made) == 6 * ROW_BYTES // 2
    symbolic = dataclasses.replace(places, tensors=(tensor("s0", 3, dtype="int64"),))
    assert Traffic(graph(CACHE, symbolic, made)).taken_bytes(made) is None
