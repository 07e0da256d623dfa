"""The buffers of output code."""

from __future__ import annotations

from inspector.features.kernels.buffers import read_buffers, result_names, saved_names
from inspector.features.kernels.output_code import read_output_code

FORWARD = """\
# AOT ID: ['0_forward']
def partition_0(args):
    primals_1, primals_2 = args
    args.clear()
    assert_size_stride(primals_1, (4, 8), (8, 1))
    with torch.cuda._DeviceGuard(0):
        buf0 = empty_strided_cuda((4, 8), (8, 1), torch.float32)
        stream0 = get_raw_stream(0)
        triton_poi_0.run(primals_1, buf0, 32, stream=stream0)
        buf1 = empty_strided_cuda((4, 16), (16, 1), torch.float32)
        extern_kernels.mm(buf0, primals_2, out=buf1)
        buf2 = reinterpret_tensor(buf1, (64, ), (1, ), 0); del buf1  # reuse
        triton_poi_1.run(buf2, buf0, 64, stream=stream0)
        buf3 = torch.ops.aten._scaled.default(buf2)
        buf4 = buf3[0]
        assert_size_stride(buf4, (4, 32), (32, 1), 'scaled')
        buf5 = buf3[1]
        assert_size_stride(buf5, (4, 1), (1, 1), 'scaled')
        del buf3
    return (buf0, buf2, buf4, buf5)

class Runner:
    def call(self, args):
        primals_1, primals_2 = args
        (buf0, buf2, buf4, buf5) = self.partitions[0]([primals_1])
        return (buf2, buf0, reinterpret_tensor(buf4, (32, 4), (1, 32), 0), None)
"""
BACKWARD = """\
# AOT ID: ['0_backward']
def call(args):
    addmm, attention, mm_2, tangents_1 = args
    buf0 = empty_strided_cpu((s0, 8), (8, 1), torch.float32)
    return (buf0, )
"""


def line(text: str, part: str) -> int:
    return next(n for n, found in enumerate(text.split("\n"), 1) if part in found)


FOUND = read_buffers(FORWARD, read_output_code(FORWARD, "0/0", {}))
BACK = read_buffers(BACKWARD, read_output_code(BACKWARD, "0/0", {}))


def test_a_buffer_has_its_shape_and_what_fills_it() -> None:
    found = FOUND.at(line(FORWARD, "buf0 = empty"), 128)
    assert found is not None
    assert (found.names, found.shape, found.dtype) == (("buf0",), (4, 8), "float32")
    assert found.filled_by == (line(FORWARD, "triton_poi_0.run"),)


def test_a_buffer_that_is_used_again_has_other_contents_later() -> None:
    at = line(FORWARD, "buf1 = empty")
    late = FOUND.at(at, 256)
    early = FOUND.at(at, 256, until=line(FORWARD, "extern_kernels.mm"))
    assert late is not None
    assert early is not None
    assert (late.names, late.filled_by) == (("buf1", "buf2"), (line(FORWARD, "triton_poi_1.run"),))
    assert (early.names, early.filled_by) == (("buf1",), (line(FORWARD, "extern_kernels.mm"),))


def test_of_several_results_the_one_of_that_size() -> None:
    at = line(FORWARD, "buf3 = torch.ops")
    found = [FOUND.at(at, size) for size in (4 * 32 * 4, 16)]
    # 512 bytes on a GPU are 4 numbers as well; the first that fits is taken.
    assert [item and item.names[0] for item in found] == ["buf4", "buf5"]
    assert found[0] is not None
    assert (found[0].shape, found[0].dtype) == ((4, 32), "float32")


def test_what_a_library_allocates_while_it_runs_has_no_name() -> None:
    for part, size in (("extern_kernels.mm", 1 << 20), ("buf3 = torch.ops", 512 * 9)):
        found = FOUND.at(line(FORWARD, part), size)  # as large as no result of it
        assert found is not None
        assert found.names == ()
    assert FOUND.at(line(FORWARD, "args.clear()"), 5) is None


CONCATENATED = """\
# AOT ID: ['0_inference']
def call(args):
    arg0_1, arg1_1 = args
    buf3 = empty_strided_cpu((512, 512), (512, 1), torch.float32)
    buf0 = reinterpret_tensor(buf3, (512, 256), (512, 1), 0)  # alias
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    buf1 = empty_strided_cpu((512, 64), (64, 1), torch.float32)
    cpp_fused_relu_0(arg0_1, buf1)
    buf2 = reinterpret_tensor(buf3, (512, 256), (512, 1), 256)  # alias
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    del buf1
    cpp_fused_sum_1(buf3, arg0_1)
    buf5 = buf3; del buf3  # reuse
    cpp_fused_relu_2(buf5)
    return (buf5, )
"""


def test_parts_of_a_concatenation_are_filled_by_a_statement_each() -> None:
    buffers = read_buffers(CONCATENATED, read_output_code(CONCATENATED, "0/0", {}))
    at = line(CONCATENATED, "buf3 = empty")
    until = line(CONCATENATED, "cpp_fused_sum_1")
    found = buffers.at(at, 512 * 512 * 4, until=until)
    assert found is not None
    assert found.names[-1] == "buf3"
    assert found.filled_by == (
        line(CONCATENATED, "out=buf0"), line(CONCATENATED, "out=buf2")
    )  # fmt: skip
    # Before the second part is written it is there for both already.
    early = buffers.at(at, 512 * 512 * 4, until=line(CONCATENATED, "buf1 = empty"))
    assert early == found
    # Used again for something else, it has nothing of them any more.
    late = buffers.at(at, 512 * 512 * 4)
    assert late is not None
    assert late.names[-1] == "buf5"
    assert late.filled_by == (line(CONCATENATED, "cpp_fused_relu_2"),)


def test_results_and_what_the_backward_pass_takes_are_told_apart() -> None:
    assert result_names(FOUND, BACK) == ("buf2",)
    assert saved_names(FOUND, BACK) == {"buf0": "addmm", "buf4": "attention"}
    assert result_names(BACK, None) == ("buf0",)
    symbolic = BACK.at(line(BACKWARD, "buf0 ="), 64)
    assert symbolic is not None
    assert (symbolic.shape, symbolic.dtype) == ((), "float32")
