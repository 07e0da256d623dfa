"""What an operator would read and write as a kernel of its own."""

import dataclasses
from typing import Any

import pytest

from inspector.features.graph.traffic import Traffic
from inspector.run.graph import Node
from inspector.shared.stack import StackFrame
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


LINE = (StackFrame("model.py", 7, "forward"),)
CACHE = node("cache", "", tensors=(tensor(1000, 64),))
INDEX = node("index", "", tensors=(tensor(2, dtype="int64"),))
SMALL = node("small", "", tensors=(tensor(2, 64),))
ROWS = node("rows", "aten.sin.default", "small", tensors=(tensor(2, 64),))
COPY = node("copy_", "aten.copy_.default", "cache", "written", tensors=(tensor(1000, 64),))
ROW_BYTES = 2 * 64 * 4
INDEX_BYTES = 2 * 8
CACHE_BYTES = 1000 * 64 * 4


def written(target: str, *inputs: str, aten: str = "", name: str = "") -> Node:
    found = node("written", target, *inputs, tensors=(tensor(1000, 64),))
    return dataclasses.replace(found, aten=aten, earlier=(name,) if name else ())


PARTS = [
    (written("aten.index_put_.default", "cache", "index", "rows"), 2 * ROW_BYTES + INDEX_BYTES),
    (written("aten.index_put.default", "cache", "index", "rows"), 2 * ROW_BYTES + INDEX_BYTES),
    # What is added to is read as well.
    (
        written("aten.index_put_.default", "cache", "index", "rows", aten="aten.index_add.x"),
        3 * ROW_BYTES + INDEX_BYTES,
    ),
    (written("aten.slice_scatter.default", "cache", "rows"), 2 * ROW_BYTES),
    # A number goes to as many places as the index has elements.
    (written("aten.scatter.value", "cache", "index"), INDEX_BYTES + 2 * 4),
]


SCATTER = written("aten.slice_scatter.default", "cache", "rows")
NEW = 2 * CACHE_BYTES + ROW_BYTES
ZEROS = node("zeros", "aten.full.default", tensors=(tensor(1000, 64),))
INTO_ZEROS = written("aten.slice_scatter.default", "zeros", "rows")
LATER = node("neg", "aten.neg.default", "zeros", tensors=(tensor(1000, 64),))
GRADIENT = written("aten.index_put.default", "zeros", "index", "rows", aten="aten.gradient")
COPIED = node("copy_", "aten.copy_.default", "small", "x")
CLONE = node("clone", "aten.clone.default", "x")
BACK = node("copy_", "aten.copy_.default", "x", "clone")


@pytest.mark.parametrize(
    ("nodes", "made", "size"),
    [
        # Its name tells what was in place.
        ((), written("aten.index_put.default", "cache", "index", "rows", name="index_put"),
         NEW + INDEX_BYTES),
        ((), written("aten.index_put.default", "cache", "index", "rows", name="index_put_"),
         2 * ROW_BYTES + INDEX_BYTES),
        ((), SCATTER, NEW),  # not copied back
        # An intermediate is changed in place unless something takes it later.
        ((ZEROS,), INTO_ZEROS, 2 * ROW_BYTES),
        ((ZEROS, INTO_ZEROS, LATER), INTO_ZEROS, NEW),
        # What makes the tensor itself writes all of it: the gradient of an embedding.
        ((dataclasses.replace(ZEROS, aten="aten.gradient"),), GRADIENT,
         CACHE_BYTES + ROW_BYTES + INDEX_BYTES),
        # A copy of an input, or of a product, is the program's own.
        ((X,), COPIED, 2 * SIZE),
        ((node("x", "aten.mm.default", flops=9),), COPIED, 2 * SIZE),
        # Clones for the program's kernels are Inductor's own.
        ((X,), CLONE, 0),
        ((X, CLONE), BACK, 0),
        ((X,), dataclasses.replace(CLONE, stack=LINE), 2 * SIZE),
    ],
)  # fmt: skip
def test_what_eager_pytorch_moves(nodes: tuple[Node, ...], made: Node, size: int) -> None:
    last = () if made in nodes else (made,)
    found = Traffic(graph(CACHE, INDEX, SMALL, ROWS, *nodes, *last))
    assert found.bytes_of(made) == size


@pytest.mark.parametrize(("made", "size"), PARTS)
def test_what_changes_a_part_moves_the_part(made: Node, size: int) -> None:
    found = Traffic(graph(CACHE, INDEX, SMALL, ROWS, made, COPY))
    assert found.bytes_of(made) == size
    assert found.bytes_of(COPY) == 0
    assert made not in found.results(made)


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
