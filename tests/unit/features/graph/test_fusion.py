"""Kernels out of what the scheduler did, with their traffic and what fusing removed."""

import dataclasses

import pytest

from inspector.features.graph.fusion import total
from inspector.features.graph.make_fusion import make_fusion
from inspector.records.fusion import Buffer, FusionPlan, Launch, Operation
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node, plan, tensor

X = node("x", "")
RELU = node("relu", "aten.relu.default", "x")
MUL = node("mul", "aten.mul.Tensor", "relu")
SUM = node("sum_1", "aten.sum.dim_IntList", "relu", tensors=(tensor(8),))
MM = node("mm", "aten.mm.default", "mul", "x", flops=1_000)
GRAPH = graph(X, RELU, MUL, SUM, MM)
BUF0 = Buffer("buf0", "intermediate", origin="mul")


def test_what_is_fused_never_reaches_memory() -> None:
    kernel = Kernel("triton_poi_0", ("relu", "mul"), {"x": SIZE}, {"buf0": SIZE})
    found = fusion(GRAPH, kernel, buffers=(BUF0,))
    (step,) = found.steps
    assert (step.name, step.kind, step.is_call) == ("triton_poi_0", "pointwise", False)
    assert step.operators == (RELU, MUL)
    assert step.removed == (RELU,)
    assert (step.bytes_, step.bytes_eager) == (2 * SIZE, 4 * SIZE)
    assert (found.bytes_, found.bytes_eager, found.removed_bytes) == (2 * SIZE, 4 * SIZE, SIZE)
    assert found.name == "0/0 forward"


def test_launches_of_one_definition_are_one_step() -> None:
    found = fusion(
        GRAPH,
        Kernel("cpp_fused_0", ("relu",), {"x": SIZE}, {"buf0": SIZE}, number=0),
        Kernel("cpp_fused_0", ("sum_1",), {"x": SIZE, "buf0": 8}, {"buf1": 32}, number=0),
        Kernel("cpp_fused_0", ("mul",), {"buf0": SIZE}, {"buf2": SIZE}, number=1),
    )
    assert [step.launches for step in found.steps] == [(0, 1), (2,)]
    assert found.steps[0].operators == (RELU, SUM)
    assert found.steps[0].reads == {"x": 2 * SIZE, "buf0": 8}
    assert found.steps[0].writes == {"buf0": SIZE, "buf1": 32}
    assert found.steps[0].bytes_ == 3 * SIZE + 40


def test_an_operator_that_is_computed_again_counts_once() -> None:
    first = Kernel("k0", ("relu", "mul"), {"x": SIZE}, {"buf0": SIZE})
    second = Kernel("k1", ("relu", "sum_1"), {"x": SIZE}, {"buf1": 32})
    found = fusion(GRAPH, first, second, buffers=(BUF0,))
    assert [step.again for step in found.steps] == [frozenset(), {"relu"}]
    assert found.steps[1].operators == (RELU, SUM)
    # The sum alone: what it reads and what it gives.
    assert found.steps[1].bytes_eager == SIZE + 32
    assert found.steps[1].removed == ()
    assert found.removed_bytes == SIZE


def test_what_a_library_computes_counts_for_the_call() -> None:
    """Inductor says that what lays out its inputs, or adds its bias, computes the same."""
    layout = Kernel("k0", ("mm",), {"x": SIZE}, {"buf0": SIZE})
    call = Kernel("aten.mm.out", ("mul", "mm"), {"buf0": SIZE}, {"buf1": SIZE}, "extern")
    bias = Kernel("k1", ("mm", "sum_1"), {"buf1": SIZE}, {"buf2": 32})
    steps = fusion(GRAPH, layout, call, bias).steps
    assert [step.again for step in steps] == [{"mm"}, frozenset(), {"mm"}]
    assert [step.flops for step in steps] == [None, 1_000, None]
    assert [step.bytes_eager for step in steps] == [0, 2 * SIZE, SIZE + 32]
    assert steps[1].operators == (MM,)
    assert steps[1].is_call
    assert steps[1].flops_per_byte == 1_000 / (2 * SIZE)
    assert steps[0].flops_per_byte is None


def test_values_of_a_call_are_written_by_the_call() -> None:
    launches = (
        Launch(("op0",), "fallback", reads={"x": SIZE}, writes={"buf0": 0}, bytes_=SIZE),
        Launch(("op1",), "output", reads={"buf0": 0}, writes={"buf1": 0}, bytes_=0),
        Launch(("op2",), "output", reads={"buf0": 0}, writes={"buf2": 0}, bytes_=0),
        Launch(("op3",), "nop", writes={"buf3": 0}, bytes_=0),
    )
    operations = (
        Operation("op0", "fallback", ("mm",), target="aten.sort.default"),
        Operation("op1", "output"),
    )
    buffers = {
        "buf1": Buffer("buf1", "output", dtype="float32", shape=(8, 64)),
        "buf2": Buffer("buf2", "output", dtype="int64", shape=("s0",)),
    }
    found = make_fusion(FusionPlan("", "forward", operations, launches, buffers, ()), GRAPH)
    (step,) = found.steps
    assert step.writes == {"buf1": SIZE, "buf2": 0}
    assert (step.bytes_, step.bytes_eager) == (SIZE, SIZE)


def test_unknown_sizes_are_unknown() -> None:
    relu = node("relu", "aten.relu.default", "x", tensors=(tensor("s0", 64),))
    known = Kernel("k0", ("mul",), {"buf0": SIZE}, {"buf1": SIZE})
    unknown = Kernel("k1", ("relu",), {"x": 0}, {"buf0": 0}, bytes_=None)
    found = fusion(graph(X, relu, MUL), unknown, known)
    assert (found.steps[0].bytes_, found.steps[0].bytes_eager) == (None, None)
    assert (found.bytes_, found.bytes_eager) == (None, None)
    assert found.steps[0].flops_per_byte is None
    assert (total([1, 2]), total([1, None]), total([])) == (3, None, 0)


def test_symbolic_sizes_have_the_values_of_the_call_that_was_compiled() -> None:
    relu = node("relu", "aten.relu.default", "x", tensors=(tensor("2*s0", 64),))
    x = dataclasses.replace(X, tensors=(tensor("2*s0", 64),))
    known = Kernel("k", ("relu",), {"x": SIZE}, {"buf0": SIZE})
    buffer = Buffer("buf0", "output", dtype="float32", shape=("2*s0", 64))
    found = make_fusion(plan(known, buffers=(buffer,)), graph(x, relu), {"s0": 4, "s1": 9})
    assert found.bytes_eager == 2 * SIZE
    assert found.hints == {"s0": 4}
    # What is drawn keeps the symbol.
    assert found.buffers["buf0"].shape == ("2*s0", 64)
    assert make_fusion(plan(known), graph(x, relu), {"s1": 9}).bytes_eager is None


def test_a_buffer_is_read_once_by_each_kernel() -> None:
    """Loops of one kernel in C++ that read the same are counted one by one."""
    buffer = Buffer("buf0", "intermediate", dtype="float32", shape=(8, 64))
    found = fusion(
        GRAPH,
        Kernel("k0", ("relu",), {"x": SIZE}, {"buf0": SIZE}, number=0),
        Kernel("k1", ("mul",), {"buf0": SIZE}, {"buf1": SIZE}, number=1),
        Kernel("k1", ("sum_1",), {"buf0": SIZE}, {"buf2": 32}, number=1, kind="reduction"),
        buffers=(buffer,),
    )
    assert found.steps[1].reads == {"buf0": SIZE}
    assert found.steps[1].bytes_ == 3 * SIZE + 32
    assert found.steps[1].kind == "reduction"


@pytest.mark.parametrize("kind", ["pointwise", "reduction", "foreach"])
def test_what_a_kernel_keeps_to_itself_is_no_traffic(kind: str) -> None:
    # A step of an optimizer, in which Inductor counts the sum before it is copied.
    reads, writes = {"x": SIZE, "buf0": SIZE}, {"buf0": SIZE, "buf1": SIZE}
    kernel = Kernel("k", ("relu", "mul"), reads, writes, kind=kind, bytes_=3 * SIZE)
    removed = dataclasses.replace(BUF0, origin="relu", is_removed=True)
    (step,) = fusion(GRAPH, kernel, buffers=(removed,)).steps
    assert (step.reads, step.writes, step.bytes_) == ({"x": SIZE}, {"buf1": SIZE}, 2 * SIZE)
    (kept,) = fusion(GRAPH, kernel, buffers=(BUF0,)).steps
    assert kept.bytes_ == 3 * SIZE


def test_what_a_decomposed_operator_keeps_to_itself_was_never_in_memory() -> None:
    parts = [
        node("a", "aten.mul.Tensor", "x", aten="aten.gelu.default", earlier=("g",)),
        node("b", "aten.erf.default", "a", aten="aten.gelu.default", earlier=("g",)),
        node("c", "aten.neg.default", "b"),
    ]
    kernel = Kernel("k", ("a", "b", "c"), {"x": SIZE}, {"buf0": SIZE})
    (step,) = fusion(
        graph(X, *parts), kernel, buffers=(Buffer("buf0", "output", origin="c"),)
    ).steps
    assert [item.name for item in step.removed] == ["b"]
    assert step.bytes_eager == 4 * SIZE


def test_a_library_takes_rows_of_a_table_and_not_the_table() -> None:
    table = node("table", "", tensors=(tensor(1000, 64),))
    index = node("index", "", tensors=(tensor(8, dtype="int64"),))
    made = node("taken", "aten.index_select.default", "table", "index")
    whole = 1000 * 64 * 4
    (step,) = fusion(
        graph(table, index, made),
        Kernel(
            "aten.index_select.default", ("taken",), {"table": whole, "index": 64}, {"buf0": SIZE},
            "fallback",
        ),
    ).steps  # fmt: skip
    assert (step.reads, step.writes) == ({"table": SIZE, "index": 64}, {"buf0": SIZE})
    assert step.bytes_ == 2 * SIZE + 64
