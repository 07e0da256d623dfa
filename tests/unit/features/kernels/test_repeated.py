"""Calls that compute what others have computed."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.kernels.output_code import read_output_code

KERNEL = '''
cpp_fused_{name}_0 = async_compile.cpp_pybinding([], r"""
extern "C"  void  kernel({parameters})
{{
}}
""")
'''
RELU = KERNEL.format(name="relu", parameters="const float* in_ptr0, float* out_ptr0")
IN_PLACE = KERNEL.format(name="add", parameters="float* in_out_ptr0, const float* in_ptr0")


def repeated(body: str, *kernels: str) -> list[tuple[str, int]]:
    """The calls that are repeats, and how many lines before them the first one stands."""
    text = "\n".join(kernels) + "\ndef call(args):\n    a, b = args\n"
    graph = read_output_code(text + textwrap.indent(textwrap.dedent(body), "    "), "0/0", {})
    return [(call.name, call.line - call.repeats) for call in graph.calls if call.repeats]


def test_what_follows_from_repeats_is_one_too() -> None:
    body = """
    buf0 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    cpp_fused_relu_0(a, buf0)
    buf1 = torch.ops.aten.topk.default(buf0, 2)
    buf2 = buf1[0]
    buf3 = extern_kernels.convolution(buf2, b, stride=(1, 1))
    assert_size_stride(a, (4, 4), (4, 1))
    buf4 = buf0; del buf0  # reuse
    cpp_fused_relu_0(a, buf4)
    buf5 = torch.ops.aten.topk.default(buf4, 2)
    buf6 = buf5[0]
    buf7 = extern_kernels.convolution(buf6, b, stride=(1, 1))
    """
    found = repeated(body, RELU)

    assert found == [("cpp_fused_relu_0", 6), ("aten.topk.default", 6), ("convolution", 6)]


@pytest.mark.parametrize(
    "between",
    [
        "cpp_fused_add_0(a, b)",  # works in place
        "cpp_fused_add_0(reinterpret_tensor(a, (2, ), (1, ), 2), b)",  # on a part
        "extern_kernels.mm(b, b, out=a)",
        "torch.ops.mine.change.default(a)",  # nobody knows what it does
        "torch.ops.aten.add_.Tensor(a, b)",
        "c = reinterpret_tensor(a, (2, ), (1, ), 2)\n    cpp_fused_relu_0(b, c)",
        "a = buf0; del buf0  # reuse",
    ],
)
def test_what_has_changed_is_computed_anew(between: str) -> None:
    body = f"""
    buf0 = extern_kernels.mm(a, b)
    {between}
    buf1 = extern_kernels.mm(a, b)
    """
    assert repeated(body, RELU, IN_PLACE) == []


@pytest.mark.parametrize(
    "call",
    [
        "torch.ops.aten.rand.default([4])",
        "torch.ops.aten.native_dropout.default(a, 0.5, True)",
        "torch.ops.aten._scaled_dot_product_flash_attention.default(a, a, b, 0.1)",
        "torch.ops.mine.count.default(a)",
    ],
)
def test_what_may_give_something_else_is_no_repeat(call: str) -> None:
    assert repeated(f"x = {call}\ny = {call}") == []
