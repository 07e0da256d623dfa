"""Floating-point operations of convolutions, counted by hand."""

from __future__ import annotations

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from inspector.capture.graph_flops import flops_of

pytestmark = pytest.mark.compile
BATCH, CHANNELS, SIZE, FILTER = 4, 8, 32, 3
OUT = SIZE - FILTER + 1


@pytest.mark.parametrize("groups", [1, 2, CHANNELS])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_a_convolution_s_backward_is_twice_the_forward_in_groups_too(
    groups: int, *, is_transposed: bool
) -> None:
    def gradients(x: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, ...]:
        function = torch.nn.functional.conv2d
        if is_transposed:
            function = torch.nn.functional.conv_transpose2d
        y = function(x, weight, groups=groups)
        return torch.autograd.grad(y.sum(), (x, weight))

    x = torch.randn(BATCH, CHANNELS, SIZE, SIZE, requires_grad=True)
    weight = torch.randn(CHANNELS, CHANNELS // groups, FILTER, FILTER, requires_grad=True)
    graph = make_fx(gradients, tracing_mode="fake")(x, weight).graph
    counts = [flops_of(node) for node in graph.nodes if "convolution" in str(node.target)]
    places = SIZE if is_transposed else OUT
    once = 2 * BATCH * CHANNELS * (CHANNELS // groups) * FILTER**2 * places**2
    assert counts == [once, 2 * once]
