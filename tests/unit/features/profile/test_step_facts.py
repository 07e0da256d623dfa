"""What a profile says of a step: whose lines it computes, and what it moves."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.graph.fusion import Fusion
from inspector.features.graph.make_fusion import make_fusion
from inspector.features.profile.step_facts import FusionFacts, StepFacts
from inspector.records.fusion import Buffer, Operation
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node, plan, tensor

TABLE = 4_000_000


def facts(found: Fusion, place: int = 0) -> StepFacts:
    return FusionFacts(found).of(found.steps[place])


def test_a_product_is_the_line_that_calls_it() -> None:
    weight = node("weight", "")
    turned = node("t", "aten.permute.default", "weight", at=3)
    product = node("mm", "aten.mm.default", "x", "t", at=4, flops=1000)
    found = facts(
        fusion(
            graph(node("x", ""), weight, turned, product),
            Kernel("aten.mm.out", ("t", "mm"), {"x": SIZE, "weight": SIZE}, {"b": SIZE}, "extern"),
        )
    )
    assert [(part.line.line, part.operator, part.share) for part in found.parts] == [
        (4, "aten.mm.default", 1.0)
    ]
    assert found.dtype == "float32"


@pytest.mark.parametrize(
    ("target", "flops"),
    [("aten.mm.default", 1000), ("aten.convolution.default", 1000), ("flex_attention", None)],
)
def test_a_template_is_its_product_and_what_is_fused_to_it_is_listed(
    target: str, flops: int | None
) -> None:
    before = node("scaled", "aten.mul.Tensor", "x", at=3)
    product = node("product", target, "scaled", "w", at=4, flops=flops)
    after = node("act", "aten.tanh.default", "product", at=5)
    names = ("scaled", "product", "act")
    found = facts(
        fusion(
            graph(node("x", ""), node("w", ""), before, product, after),
            Kernel("triton_tem", names, {"x": SIZE, "w": SIZE}, {"b": SIZE}, "template"),
        )
    )
    assert [(part.line.line, part.share) for part in found.parts] == [(3, 0), (4, 1), (5, 0)]


@pytest.mark.parametrize(("device", "most"), [("cpu", "randn"), ("cuda:0", "add")])
def test_numbers_that_are_drawn_one_at_a_time_weigh_more_than_the_bytes_around_them(
    device: str, most: str
) -> None:
    given = (dataclasses.replace(tensor(), device=device),)
    drawn = node("r", "prims.inductor_random.default", at=3, aten="aten.randn.default")
    drawn = dataclasses.replace(drawn, tensors=given)
    added = node("s", "aten.add.Tensor", "x", "r", at=4, tensors=given)
    found = facts(
        fusion(
            graph(node("x", ""), drawn, added), Kernel("k", ("r", "s"), {"x": SIZE}, {"b": SIZE})
        )
    )
    assert max(found.parts, key=lambda part: part.share).name == most


def test_a_fused_kernel_is_shared_out_by_what_each_operator_would_move() -> None:
    small = node("small", "aten.relu.default", "y", at=3, tensors=(tensor(8, 8),))
    large = node("large", "aten.add.Tensor", "x", "small", at=4)
    inputs = node("x", ""), node("y", "", tensors=(tensor(8, 8),))
    reads = {"x": SIZE, "y": 256}
    found = facts(
        fusion(graph(*inputs, small, large), Kernel("k", ("small", "large"), reads, {"b": SIZE}))
    )
    # relu reads and writes 256 bytes, add reads 2,304 and writes 2,048.
    assert [part.line.line for part in found.parts] == [3, 4]
    assert [part.share for part in found.parts] == pytest.approx([512 / 4864, 4352 / 4864])
    assert found.bytes_ == SIZE + 256 + SIZE


def test_an_input_in_another_layout_counts_for_what_reads_it() -> None:
    convolution = node("conv", "aten.convolution.default", "x", "weight", at=9)
    small = node("small", "aten.exp.default", "y", at=3, tensors=(tensor(8, 8),))
    inputs = node("x", ""), node("y", "", tensors=(tensor(8, 8),)), node("weight", "")
    reads, writes = {"y": 256, "weight": SIZE}, {"b": 256, "c": SIZE}
    found = facts(
        fusion(graph(*inputs, small, convolution), Kernel("k", ("small",), reads, writes))
    )
    assert [(part.line.line, part.operator) for part in found.parts] == [
        (3, "aten.exp.default"), (9, "aten.convolution.default"),
    ]  # fmt: skip
    assert [part.share for part in found.parts] == pytest.approx(
        [512 / (512 + 2 * SIZE), 2 * SIZE / (512 + 2 * SIZE)]
    )


def test_of_a_gather_only_what_is_gathered_counts() -> None:
    """Inductor counts the table as a whole for a fused kernel, and not for its operations."""
    looked_up = node("rows", "aten.embedding.default", "table", "ids", at=3)
    table = node("table", "", tensors=(tensor(1000, 1000),))
    ids = node("ids", "", tensors=(tensor(8, dtype="int64"),))
    reads, writes = {"table": TABLE, "ids": 64}, {"b": SIZE}
    kernel = Kernel("k", ("rows",), reads, writes)
    made = plan(kernel)
    operation = Operation(
        "op0", "pointwise", ("rows",), reads={"table": SIZE, "ids": 64}, writes=writes
    )
    found = make_fusion(
        dataclasses.replace(made, operations=(operation,)), graph(table, ids, looked_up)
    )
    assert found.steps[0].bytes_inductor == TABLE + 64 + SIZE
    assert found.steps[0].bytes_ == found.steps[0].bytes_eager == SIZE + 64 + SIZE
    assert facts(found).bytes_ == SIZE + 64 + SIZE
    assert facts(found).reads["table"] == SIZE


@pytest.mark.parametrize(
    ("target", "bytes_"), [("aten.empty.memory_format", 2 * SIZE), ("aten.zeros.default", 3 * SIZE)]
)
def test_what_a_kernel_of_ones_own_is_to_fill_is_not_read(target: str, bytes_: int) -> None:
    own = node("own", "torch.ops.higher_order.triton_kernel_wrapper_mutation", "x", "new", at=9)
    kernel = Kernel("mine", ("own",), {"x": SIZE, "buf0": SIZE}, {"buf1": SIZE}, "user_kernel")
    made = plan(
        kernel,
        buffers=(
            Buffer("buf0", "intermediate", origin="new", dtype="float32", shape=(8, 64)),
            Buffer("buf1", "intermediate", changes="buf0"),
        ),
    )
    operation = Operation(
        "op0", "user_kernel", ("own",), target="mine", mutates=("buf0",),
        reads=kernel.reads, writes=kernel.writes,
    )  # fmt: skip
    found = facts(
        make_fusion(
            dataclasses.replace(made, operations=(operation,)),
            graph(node("x", ""), node("new", target), own),
        )
    )
    assert found.bytes_ == bytes_
    assert found.parts[0].operator == "mine"


def test_operands_are_what_is_multiplied_and_not_the_result() -> None:
    small = (tensor(8, 64, dtype="int8"),)
    product = node(
        "mm", "aten._int_mm.default", "x", "w", flops=99, tensors=(tensor(dtype="int32"),)
    )
    found = facts(
        fusion(
            graph(node("x", "", tensors=small), node("w", "", tensors=small), product),
            Kernel("aten._int_mm.out", ("mm",), {"x": 512, "w": 512}, {"b": SIZE}, "extern"),
        )
    )
    assert found.dtype == "int8"


def test_a_clone_for_a_call_that_writes_in_place_is_a_copy_for_it() -> None:
    store, rows = node("store", ""), node("rows", "", tensors=(tensor(1, 64),))
    put = node("put", "aten.scatter_reduce.two", "store", "rows", at=4)
    back = node("copy_", "aten.copy_.default", "store", "put")
    small = node("small", "aten.exp.default", "rows", at=3, tensors=(tensor(1, 64),))
    found = fusion(
        graph(store, rows, put, small, back),
        Kernel("k0", ("put", "small"), {"store": SIZE, "rows": 256}, {"b0": SIZE, "b1": 256}),
        Kernel("aten.scatter_reduce_.two", ("put",), {"b0": SIZE, "rows": 256}, {}, "fallback"),
        Kernel("k1", ("copy_",), {"b0": SIZE}, {"store": SIZE}),
    )
    clone, call, written = (facts(found, place) for place in range(3))
    assert [item.functionalization_copies for item in (clone, call, written)] == [
        {"scatter_reduce": pytest.approx(8 / 9)}, {}, {"scatter_reduce": 1.0},
    ]  # fmt: skip
    shares = {part.operator: (part.line.line, part.share) for part in clone.parts}
    assert shares == {
        "aten.exp.default": (3, pytest.approx(1 / 9)), "copy_": (4, pytest.approx(8 / 9)),
    }  # fmt: skip
    assert [part.operator for part in written.parts] == ["aten.copy_.default"]
    # Where nothing is written back, the program wants a tensor of its own.
    own = fusion(
        graph(store, rows, put, small),
        Kernel("k0", ("put", "small"), {"store": SIZE, "rows": 256}, {"b0": SIZE, "b1": 256}),
        Kernel("aten.scatter_reduce_.two", ("put",), {"b0": SIZE, "rows": 256}, {}, "fallback"),
    )
    assert facts(own).functionalization_copies == {}


def test_a_part_that_is_computed_with_all_of_the_tensor_is_a_copy_for_it() -> None:
    """`buf[5:9] = rows` in a kernel that writes all of `buf`: eager PyTorch writes four rows."""
    buf, rows = node("buf", ""), node("rows", "", tensors=(tensor(1, 64),))
    put = node("put", "aten.slice_scatter.default", "buf", "rows", at=4)
    back = node("copy_", "aten.copy_.default", "buf", "put")
    found = fusion(
        graph(buf, rows, put, back),
        Kernel("k", ("put", "copy_"), {"buf": SIZE, "rows": 256}, {"buf": SIZE}),
    )
    assert sum(facts(found).functionalization_copies.values()) == pytest.approx(1.0)
    assert set(facts(found).functionalization_copies) == {"slice_scatter"}
    whole = node("whole", "aten.mul.Tensor", "buf", at=4, earlier=("mul_",))
    back = node("copy_", "aten.copy_.default", "buf", "whole")
    found = fusion(
        graph(buf, whole, back), Kernel("k", ("whole", "copy_"), {"buf": SIZE}, {"buf": SIZE})
    )
    assert facts(found).functionalization_copies == {}
