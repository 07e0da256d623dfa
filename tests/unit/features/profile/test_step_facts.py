"""What a profile says of a step: whose lines it computes, and what it moves."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.graph.fusion import Fusion
from inspector.features.graph.make_fusion import make_fusion
from inspector.features.profile.step_facts import FusionFacts, StepFacts
from inspector.records.fusion import Reached
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node, plan, tensor

TABLE = 4_000_000


def facts(found: Fusion, place: int = 0) -> StepFacts:
    return FusionFacts(found).of(found.steps[place])


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


def test_of_a_gather_only_what_is_gathered_counts() -> None:
    """Inductor counts the table as a whole for a fused kernel; its indices reach some rows."""
    looked_up = node("rows", "aten.embedding.default", "table", "ids", at=3)
    table = node("table", "", tensors=(tensor(1000, 1000),))
    ids = node("ids", "", tensors=(tensor(8, dtype="int64"),))
    reads, writes = {"table": TABLE, "ids": 64}, {"b": SIZE}
    kernel = Kernel("k", ("rows",), reads, writes)
    made = plan(kernel)
    launch = dataclasses.replace(made.launches[0], reached=Reached({"table": SIZE}))
    found = make_fusion(dataclasses.replace(made, launches=(launch,)), graph(table, ids, looked_up))
    assert found.steps[0].bytes_inductor == TABLE + 64 + SIZE
    assert found.steps[0].bytes_ == found.steps[0].bytes_eager == SIZE + 64 + SIZE
    assert facts(found).bytes_ == SIZE + 64 + SIZE
    assert facts(found).reads["table"] == SIZE


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
