"""Eager PyTorch for one kernel, cut out of the post-grad graph."""

from __future__ import annotations

import pytest

from inspector.features.kernels.reference import DRAWS, LoweredGraph, Reference

GRAPH = """
class GraphModule(torch.nn.Module):
    def forward(self, arg0_1: "Sym(s77)", arg1_1: "f32[s77, 4][4, 1]cuda:0", seeds: "i64[1][1]cuda:0"):
        # File: model.py:3 in forward, code: y = x.exp() * 2
        exp: "f32[s77, 4][4, 1]cuda:0" = torch.ops.aten.exp.default(arg1_1);  arg1_1 = None
        mul: "f32[s77, 4][4, 1]cuda:0" = torch.ops.aten.mul.Tensor(exp, 2);  exp = None
        view: "f32[4*s77][1]cuda:0" = torch.ops.aten.reshape.default(mul, [arg0_1, 4])
        var_mean = torch.ops.aten.var_mean.correction(view, [1], correction = 0)
        getitem: "f32[s77][1]cuda:0" = var_mean[0]
        getitem_1: "f32[s77][1]cuda:0" = var_mean[1];  var_mean = None
        full: "f32[4][1]cuda:0" = torch.ops.aten.full.default([4], 0, device = device(type='cuda', index=0))
        seed: "i64[][]cuda:0" = torch.ops.prims.inductor_lookup_seed.default(seeds, 0)
        rand: "f32[4][1]cuda:0" = torch.ops.prims.inductor_random.default([4], seed, 'rand')
        gt: "b8[4][1]cuda:0" = torch.ops.aten.gt.Scalar(rand, 0.1)
        where: "f32[4][1]cuda:0" = torch.ops.aten.mul.Tensor(gt, full)
        constant: "f32[][]cuda:0" = self._tensor_constant0
        shifted: "f32[4][1]cuda:0" = torch.ops.aten.add.Tensor(full, constant)
        sum_1: "f32[][]cuda:0" = torch.ops.aten.sum.dim_IntList(mul, [0])
        return (view,)
"""  # noqa: E501


def make_reference(
    graph: str, reads: list[str], writes: list[str], symbols: dict[str, int]
) -> Reference:
    return LoweredGraph(graph, symbols).reference(reads, writes)


def test_the_lines_between_what_is_read_and_what_is_written() -> None:
    found = make_reference(GRAPH, ["arg1_1"], ["getitem_1"], {"s77": 8})

    assert found.inputs == ("arg1_1",)
    assert found.outputs == ("getitem_1",)
    assert found.lines == (
        "arg0_1 = 8",
        "exp = torch.ops.aten.exp.default(arg1_1)",
        "mul = torch.ops.aten.mul.Tensor(exp, 2)",
        "view = torch.ops.aten.reshape.default(mul, [arg0_1, 4])",
        "var_mean = torch.ops.aten.var_mean.correction(view, [1], correction=0)",
        "getitem_1 = var_mean[1]",
    )


@pytest.mark.parametrize("writes", [["gt", "where"], ["where", "gt"]])
def test_what_is_drawn_is_taken_from_the_kernel_and_what_comes_of_it_is_computed(
    writes: list[str],
) -> None:
    found = make_reference(GRAPH, ["seeds"], writes, {})

    assert dict(found.missing) == {"gt": DRAWS}
    assert (found.given, found.inputs, found.outputs) == (("gt",), ("gt",), ("where",))
    assert "DEVICE" in found.lines[0]
    assert not any("gt = " in line for line in found.lines)


@pytest.mark.parametrize(("node", "reads", "why"), [
    ("where", ["seeds"], DRAWS),
    ("mul", [], "it needs arg1_1, which the kernel does not take"),
    ("view", ["mul"], "it needs arg0_1, which the kernel does not take"),
    ("shifted", [], "it needs self._tensor_constant0, which only the graph contains"),
    ("nothing", [], "it needs nothing, which the kernel does not take"),
])  # fmt: skip
def test_what_cannot_be_computed_says_why(node: str, reads: list[str], why: str) -> None:
    found = make_reference(GRAPH, reads, [node], {})
    assert (dict(found.missing), found.outputs) == ({node: why}, ())


@pytest.mark.parametrize("graph", ["", "class GraphModule(", "def forward(self, x):\n  return (x"])
def test_a_graph_that_cannot_be_read_gives_nothing(graph: str) -> None:
    assert make_reference(graph, ["x"], ["y"], {}).outputs == ()
