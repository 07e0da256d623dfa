"""C++ of AOTInductor for CUDA, as torch/_inductor/codegen/cpp_wrapper_gpu.py writes it (2.13)."""

from __future__ import annotations

import pytest

from inspector.features.kernels.ahead_code import read_ahead_code
from inspector.run.kernel import NodeLine

WRAPPER = """\
static inline void call_triton_poi_fused_add_0(
    cudaStream_t stream_
){
    /*
    async_compile.triton('triton_poi_fused_add_0', '''
    import triton
    @triton_heuristics.pointwise(
        size_hints={'x': 128},
        triton_meta={'signature': {'in_ptr0': '*fp32', 'xnumel': 'i32'}},
        inductor_meta={'num_load': 2}
    )
    @triton.jit
    def triton_poi_fused_add_0(in_ptr0, xnumel, XBLOCK : tl.constexpr):
        pass
    ''', device_str='cuda')
    */
    launchKernel(kernels_.triton_poi_fused_add_0, grid_0, 1, 1, 4, 0, kernel_args_, stream_);
}

void AOTInductorModel::run_impl(
    DeviceStreamType stream
) {
    aoti_torch_empty_strided(2, int_array_0, int_array_1, cached_torch_device_type_cuda, &buf0);
    // Topologically Sorted Source Nodes: [linear], Original ATen: [aten.addmm]
    static constexpr int64_t int_array_2[] = {10L, 16L};
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_mm_out(buf0, arg2_1, fc1_weight));
    // Topologically Sorted Source Nodes: [y], Original ATen: [aten.add]
    call_triton_poi_fused_add_0(buf1, 128L, stream, kernels, this->cubin_dir_);
    call_triton_poi_fused_add_0(buf1, 128L, stream, kernels, this->cubin_dir_);
    // Topologically Sorted Source Nodes: [z], Original ATen: [mylib.twice]
    aoti_torch_proxy_executor_call_function(proxy_executor, 0, 1, {}, 2, tensors);
} // AOTInductorModel::run_impl
"""


def test_triton_source_is_in_comments() -> None:
    line = NodeLine("y", "model.py", 7, "y = x + 1")
    graph = read_ahead_code(WRAPPER, "", "0/0", {"y": line})
    (kernel,) = graph.kernels
    assert (kernel.name, kernel.language, kernel.kind) == (
        "triton_poi_fused_add_0",
        "triton",
        "pointwise",
    )
    assert kernel.source.startswith("\nimport triton\n@triton_heuristics.pointwise(\n")
    assert (kernel.size_hints, kernel.inductor_meta) == ({"x": 128}, {"num_load": 2})
    assert (kernel.aten, kernel.nodes) == (("aten.add",), (line,))
    assert [(call.kind, call.name) for call in graph.calls] == [
        ("extern", "mm"),
        ("kernel", "triton_poi_fused_add_0"),
        ("kernel", "triton_poi_fused_add_0"),
        ("aten", "mylib.twice"),
    ]
    text = WRAPPER.split("\n")
    assert "aoti_torch_cuda_mm_out" in text[graph.calls[0].line - 1]
    assert "async_compile" in text[kernel.line - 1]


def test_what_was_cut_off_is_not_read() -> None:
    with pytest.raises(ValueError, match="launches nothing"):
        read_ahead_code(WRAPPER[:-200], "", "0/0", {})
    cut = 'extern "C" void cpp_0(\n' * 100_000
    assert not read_ahead_code(WRAPPER.replace("/*", ""), cut, "0/0", {}).kernels[1:]
