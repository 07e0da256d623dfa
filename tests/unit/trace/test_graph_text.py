"""What is read out of the text of a graph, and out of texts that are none."""

import contextlib
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.run.folding.boundary import make_boundary
from inspector.trace.graph_text import GraphText, parse_graph


def parse(body: str, inputs: str) -> GraphText:
    head = f"class GraphModule(torch.nn.Module):\n    def forward(self, {inputs}):\n"
    return parse_graph(head + textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8))


CHAIN = """
    l_x_ = L_x_

    # File: /m.py:6 in forward, code: x = s.l(x).sin()
    linear: "f32[8, 64][64, 1]cpu" = torch._C._nn.linear(l_x_, L_w_parameters_);  l_x_ = None
    sin: "f32[8, 64][64, 1]cpu" = linear.sin();  linear = None
    t: "f32[64, 8][1, 64]cpu" = sin.t()
    add: "f32[8, 64][64, 1]cpu" = sin + 1
    return (add, t, linear)
"""
INPUTS = 'L_x_: "f32[8, 32][32, 1]cpu", L_w_parameters_: "f32[64, 32][32, 1]cpu"'


def test_nodes_have_their_operation_arguments_and_tensor() -> None:
    graph = parse(CHAIN, INPUTS)
    named = {node.name: node for node in graph.nodes}
    assert named["linear"].operation == "torch._C._nn.linear"
    assert named["sin"].operation == ".sin"
    assert (named["add"].operation, named["add"].arguments) == ("Add", ("sin",))
    tensor = named["t"].tensor
    assert tensor is not None
    assert (tensor.dtype, tensor.shape, tensor.stride, tensor.device) == (
        "f32", (64, 8), (1, 64), "cpu",
    )  # fmt: skip
    assert graph.outputs == ("add", "t", "linear")


def test_a_boundary_knows_what_could_be_fused() -> None:
    boundary = make_boundary(parse(CHAIN, INPUTS), {})
    # The parameter is nobody's output; the input is read by a matrix product alone.
    assert [(item.shape, item.is_fusible) for item in boundary.inputs] == [((8, 32), False)]
    # A view has the fusion of what it shows; a matrix product writes its result anyway.
    assert [(item.shape, item.is_fusible, item.size_bytes) for item in boundary.outputs] == [
        ((8, 64), True, 2048), ((64, 8), True, 2048), ((8, 64), False, 2048),
    ]  # fmt: skip


def test_symbolic_sizes_take_the_values_of_the_traced_call() -> None:
    text = 'y: "bf16[s77, 2*s3 + 1][2*s3 + 1, 1]cuda:0" = x.relu()\nreturn (y,)'
    graph = parse(text, 'x: "bf16[s77, 2*s3 + 1][2*s3 + 1, 1]cuda:0"')
    (known,) = make_boundary(graph, {"s77": 4, "s3": 5}).outputs
    assert (known.shape, known.size_bytes) == ((4, 11), 88)
    assert make_boundary(graph, {"s77": 4}).outputs == ()


def test_the_inputs_of_a_joint_graph_are_what_its_lists_hold() -> None:
    text = """
    primals_1: "f32[8][1]cpu"  # PlainAOTInput(idx=0)
    tangents_1: "f32[4][1]cpu"
    primals_1, s0, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
    sin: "f32[8][1]cpu" = torch.ops.aten.sin.default(primals_1)
    return pytree.tree_unflatten([sin, s0], self._out_spec)
    """
    graph = parse(text, "primals, tangents")
    assert [node.name for node in graph.inputs] == ["primals_1", "s0", "tangents_1"]
    assert [node.tensor and node.tensor.shape for node in graph.inputs] == [(8,), None, (4,)]
    assert [node.name for node in graph.nodes] == ["sin"]
    assert graph.outputs == ("sin", "s0")


@pytest.mark.parametrize("text", ["", "x = 1", "class GraphModule:\n    pass", "def (", "\0"])
def test_what_is_no_graph_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"graph|null"):
        parse_graph(text)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        parse_graph(
            "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n        " + text
        )
