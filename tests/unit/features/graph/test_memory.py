"""Buffers that are one memory: what is concatenated, changed in place, or only viewed."""

from inspector.features.graph.drawing.fusion_flow import make_flow
from inspector.features.graph.drawing.roles import Roles
from inspector.features.graph.fusion import Memory
from inspector.features.graph.make_fusion import make_fusion
from inspector.features.graph.not_fused import unfused_pairs
from inspector.records.fusion import Buffer, FusionPlan
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node, plan, tensor

X = node("x", "")
Y = node("y", "")
RELU = node("relu", "aten.relu.default", "x", at=3)
SIN = node("sin", "aten.sin.default", "y", at=4)
CAT = node("cat", "aten.cat.default", "relu", "sin", at=5, tensors=(tensor(16, 64),))
SUM = node("sum_1", "aten.sum.default", "cat", at=6, tensors=(tensor(1),))
PARTS = (
    Buffer("buf0", "intermediate", dtype="float32", shape=(8, 64), origin="relu", whole="buf2"),
    Buffer("buf1", "intermediate", dtype="float32", shape=(8, 64), origin="sin", whole="buf2"),
    Buffer("buf2", "intermediate", dtype="float32", shape=(16, 64), origin="cat"),
)
JOINED = (
    Kernel("k0", ("relu",), {"x": SIZE}, {"buf0": SIZE}),
    Kernel("k1", ("sin",), {"y": SIZE}, {"buf1": SIZE}),
    Kernel("", ("cat",), {}, {}, kind="nop"),
    Kernel("k2", ("sum_1",), {"buf2": 2 * SIZE}, {"buf3": 4}, "reduction"),
)


def test_parts_are_the_memory_of_the_whole() -> None:
    found = fusion(graph(X, Y, RELU, SIN, CAT, SUM), *JOINED, buffers=PARTS)
    assert [found.memory.root(name) for name in ("buf0", "buf1", "buf2", "x")] == [
        "buf2", "buf2", "buf2", "x",
    ]  # fmt: skip
    flows = make_flow(found, Roles()).flows
    edges = {
        (flow.source, flow.target): flow.bytes_ for flow in flows if flow.buffer.whole == "buf2"
    }
    assert edges == {(0, 2): SIZE, (1, 2): SIZE}


def test_what_fusing_with_one_part_saves_is_that_part() -> None:
    found = fusion(graph(X, Y, RELU, SIN, CAT, SUM), *JOINED, buffers=PARTS)
    pairs = {(pair.first, pair.second): pair for pair in unfused_pairs(found)}
    assert {key: pair.saved_bytes for key, pair in pairs.items()} == {(0, 2): SIZE, (1, 2): SIZE}
    reason = pairs[0, 2].reason
    assert reason is not None
    assert "writes one part of a concatenation" in reason.sentence


def test_what_is_changed_in_place_is_the_same_memory() -> None:
    """A scatter writes little: fused with what reads the whole it saves no more than that."""
    scatter = node("scatter", "aten.index_put.default", "relu", "x", at=4)
    neg = node("neg", "aten.neg.default", "scatter", at=5)
    found = fusion(
        graph(X, RELU, scatter, neg),
        Kernel("k0", ("relu",), {"x": SIZE}, {"buf0": SIZE}),
        Kernel("k1", ("scatter",), {"x": 16, "buf0": 16}, {"buf1": 16}),
        Kernel("k2", ("neg",), {"buf1": SIZE}, {"buf2": SIZE}),
        buffers=(
            Buffer("buf0", "intermediate", dtype="float32", shape=(8, 64), origin="relu"),
            Buffer("buf1", "intermediate", dtype="float32", shape=(8, 64), changes="buf0"),
        ),
    )
    saved = {(pair.first, pair.second): pair.saved_bytes for pair in unfused_pairs(found)}
    assert saved[1, 2] == 16
    assert saved[0, 2] == SIZE
    (between,) = [pair for pair in unfused_pairs(found) if (pair.first, pair.second) == (0, 2)]
    assert between.reason is not None
    assert "must run between them" in between.reason.sentence


def test_a_circle_in_a_damaged_recording_ends() -> None:
    circle = {name: Buffer(name, "", whole=other) for name, other in (("a", "b"), ("b", "a"))}
    assert Memory(FusionPlan("", "forward", (), (), circle, ()), {}).root("a") in {"a", "b"}


def test_a_buffer_for_a_scatter_does_not_compute_what_is_scattered() -> None:
    """Inductor gives what fills it with zeros the origins of all of it."""
    zeros = node("zeros", "aten.full.default")
    mul = node("mul", "aten.mul.Tensor", "x", "x")
    put = node("put", "aten.index_put.default", "zeros", "mul")
    found = make_fusion(
        plan(
            Kernel("k0", ("zeros", "mul", "put"), {}, {"buf0": SIZE}),
            Kernel("k1", ("zeros", "mul", "put"), {"x": SIZE, "buf0": 16}, {"buf1": 16}),
            buffers=(Buffer("buf1", "output", changes="buf0"),),
        ),
        graph(X, zeros, mul, put),
    )
    own = [[node.name for node in step.operators if node.name not in step.again]
           for step in found.steps]  # fmt: skip
    assert own == [["zeros"], ["mul", "put"]]
    assert found.steps[0].bytes_eager == SIZE
