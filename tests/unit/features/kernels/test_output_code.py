"""Output code as torch writes it (benchmarks/exactness/record_kernels.py, on an H200)."""

from __future__ import annotations

import re

import pytest

from benchmarks.exactness.compare_kernels import load
from inspector.features.kernels.output_code import read_output_code
from inspector.run.kernel import NodeLine

EVERY = 5  # enough of them: it takes 10 ms each
ASYNC = re.compile(r"^(\w+) = async_compile\.(\w+)\(", re.MULTILINE)
RUNS = re.compile(r"^ +(\w+)\.run\(", re.MULTILINE)


@pytest.fixture(scope="module")
def codes() -> dict[str, str]:
    return {
        f"{name} {pass_} {index}": code["code"]
        for name, passes in load()["cases"].items()
        for pass_, found in passes.items()
        if isinstance(found, dict)
        for index, code in enumerate(found["codes"])
    }


def test_every_kernel_and_every_launch_is_read(codes: dict[str, str]) -> None:
    assert len(codes) > 300
    for name, text in list(codes.items())[::EVERY]:
        graph = read_output_code(text, "0/0", {})
        assert [kernel.name for kernel in graph.kernels] == [m[0] for m in ASYNC.findall(text)], (
            name
        )
        triton = {kernel.name: kernel for kernel in graph.kernels if kernel.language == "triton"}
        assert [c.name for c in graph.calls if c.name in triton] == RUNS.findall(text), name
        assert all(kernel.kind and kernel.signature for kernel in triton.values()), name


TWICE = """
# Topologically Sorted Source Nodes: [sin], Original ATen: [aten.sin]
twice = async_compile.triton('twice', "")
# Original path: /home/user/own.py:7
own_0 = async_compile.triton('own', '''
@triton_heuristics.user_autotune(configs=[], custom_kernel=True)
@triton.jit
def own(x, o):
    pass
''')

def call(args):
    # Topologically Sorted Source Nodes: [sin], Original ATen: [aten.sin]
    twice.run(arg0_1, buf0, 8, stream=stream0)
    # Topologically Sorted Source Nodes: [cos, triton_kernel_wrapper_mutation], Original ATen: []
    twice.run(buf0, buf1, 8, stream=stream0)
    # Topologically Sorted Source Nodes: [cos, triton_kernel_wrapper_mutation], Original ATen: []
    own_0.run(buf1, buf2, 1, 1, 1, stream=stream0)
"""


def test_what_is_launched_twice_has_the_nodes_of_both_launches() -> None:
    """And neither what only goes into a kernel of the user's, nor that kernel, is the other's."""
    graph = read_output_code(TWICE, "0/0", {})
    nodes = {kernel.name: [node.node for node in kernel.nodes] for kernel in graph.kernels}
    assert nodes == {"twice": ["sin", "cos"], "own_0": ["triton_kernel_wrapper_mutation"]}


def test_code_that_was_cut_off_is_an_error() -> None:
    with pytest.raises(ValueError, match="not Python"):
        read_output_code("triton_poi_fused_0 = async_compile.triton('a', '''", "0/0", {})


BACKWARD = """
# AOT ID: ['0_{direction}']
# Topologically Sorted Source Nodes: [tanh], Original ATen: [aten._softmax_backward_data, aten.tanh]
# Source node to ATen node mapping:
#   tanh => tanh
# Graph fragment:
#   %div : Tensor "f32[8][1]cuda:0" = PlaceHolder[target=div]
#   %neg : Tensor "f32[8][1]cuda:0" = call_function[target=aten.neg.default]
#   %mul : Tensor "f32[8][1]cuda:0" = call_function[target=aten.mul.Tensor]
#   %tanh : Tensor "f32[8][1]cuda:0" = call_function[target=aten.tanh.default]
#   return %mul
triton_poi_0 = async_compile.triton('triton_poi_0', 'pass')
def call(args):
    triton_poi_0.run(args[0])
"""


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_a_backward_pass_has_lines_of_the_graph_that_was_lowered(direction: str) -> None:
    tanh = NodeLine("tanh", "model.py", 7, "h = x.tanh()")
    softmax = NodeLine("mul", "model.py", 8, "return h.softmax(-1)")
    # What is no call, or has a line that is there already, is no other node.
    lowered = {
        "div": NodeLine("div", "model.py", 3), "mul": softmax, "tanh": tanh,
        "neg": NodeLine("neg", "model.py", 8),
    }  # fmt: skip
    code = BACKWARD.replace("{direction}", direction)
    graph = read_output_code(code, "0/0", {"tanh": tanh}, lowered=lowered)
    expected = (tanh, lowered["neg"]) if direction == "backward" else (tanh,)
    assert graph.kernels[0].nodes == expected


def test_branches_and_loops_are_the_graphs_work() -> None:
    """What wrapper.py writes for `torch.cond`: a function beside `call` for each branch."""
    text = """
cpp_fused_sin_0 = async_compile.cpp_pybinding(['const float*'], r'''void kernel() {}''')

def true_graph_0(args):
    arg0_1, = args
    extern_kernels.mm(arg0_1, arg0_1, out=buf0)
    return (buf0, )

class Runner:
    def __init__(self, partitions):
        extern_kernels.addmm(self)

    def call(self, args):
        if buf1.item():
            buf2 = true_graph_0([arg0_1])
        cpp_fused_sin_0(arg0_1, buf0)

def benchmark_compiled_module(args, times=10, repeat=10):
    extern_kernels.bmm(args)
"""
    graph = read_output_code(text, "0/0", {})
    assert [call.name for call in graph.calls] == ["mm", "cpp_fused_sin_0"]
