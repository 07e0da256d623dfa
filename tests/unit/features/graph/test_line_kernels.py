"""Which kernels stand at a line, and where their bytes count."""

from inspector.features.graph.lookup import Around, around_line
from inspector.features.graph.page import kernel_blocks
from inspector.records.fusion import Buffer
from tests.unit.fusions import FILE, SIZE, Kernel, fusion, graph, node

# Two convolutions in channels_last, as Inductor names it: what copies the second one's weight into
# its layout has the names of what stands before that, and so has what adds something behind it.
GRAPH = graph(
    node("x", ""), node("w1", ""), node("w2", ""),
    node("conv", "aten.convolution.default", "x", "w1", at=7),
    node("relu", "aten.relu.default", "conv", at=7),
    node("conv_1", "aten.convolution.default", "relu", "w2", at=8),
    node("add", "aten.add.Tensor", "conv_1", at=8),
    node("exp", "aten.exp.default", "add", at=9),
    node("mul", "aten.mul.Tensor", "exp", "x", at=10),
    direction="inference",
)  # fmt: skip
FUSION = fusion(
    GRAPH,
    Kernel("triton_copy_0", ("conv",), {"w1": 64}, {"buf0": 64}),
    Kernel("conv", ("conv",), {"x": SIZE, "buf0": 64}, {"buf1": SIZE}, "extern"),
    Kernel("triton_relu_1", ("conv", "relu"), {"buf1": SIZE}, {"buf2": SIZE}),
    Kernel("triton_copy_2", ("conv", "relu", "conv_1"), {"w2": 96}, {"buf3": 96}),
    Kernel("conv", ("conv_1",), {"buf2": SIZE, "buf3": 96}, {"buf4": SIZE}, "extern"),
    Kernel("triton_add_3", ("conv", "relu", "conv_1", "add", "exp"), {"buf4": SIZE}, {"b5": SIZE}),
    Kernel("triton_mul_4", ("exp", "mul"), {"b5": SIZE, "x": SIZE}, {"buf7": SIZE}),
    buffers=(
        Buffer("buf1", "intermediate", origin="conv"),
        Buffer("buf2", "intermediate", origin="relu"),
        Buffer("buf4", "intermediate", origin="conv_1"),
        Buffer("b5", "intermediate", origin="add"),
    ),
)


def at(line: int) -> Around:
    return around_line([GRAPH], [FUSION], FILE, line)


def told(line: int) -> list[tuple[str, str]]:
    return [row for _, rows in kernel_blocks(at(line)) for row in rows]


def test_a_copy_into_another_layout_is_at_the_line_of_what_takes_it_alone() -> None:
    names = {line: [kernel.kernel for kernel in at(line).kernels] for line in (7, 8)}
    assert "triton_copy_0" in names[7]
    assert "triton_copy_2" not in names[7]
    assert "triton_copy_2" in names[8]
    copy = next(text for name, text in told(8) if name.endswith("triton_copy_2"))
    assert copy.endswith("copies or reorders inputs of `convolution` (conv_1)")


def test_bytes_stand_at_the_lines_that_share_a_kernel_and_it_is_said() -> None:
    shared = [kernel for kernel in at(8).kernels if kernel.kernel == "triton_add_3"]
    assert [kernel.is_shared for kernel in shared] == [True]
    assert any(", shared with other lines · add" in text for _, text in told(8))


def test_every_byte_that_is_not_shared_is_at_one_line() -> None:
    counted = [
        kernel.number
        for line in range(7, 11)
        for kernel in at(line).kernels
        if not kernel.is_shared
    ]
    assert len(counted) == len(set(counted))
    shown = {kernel.number for line in range(7, 11) for kernel in at(line).kernels}
    assert shown == set(range(1, len(FUSION.steps) + 1))
