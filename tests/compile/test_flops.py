"""Floating-point operations of convolutions and of attention, counted by hand."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._dynamo.backends.common import aot_autograd
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from inspector.capture.graphs.graph_flops import flops_of

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


QUERIES, HEADS, WIDTH = 24, 6, 16


@pytest.mark.parametrize(
    ("keys", "kv_heads", "is_causal", "pairs"),
    [
        (24, 6, False, 24 * 24),
        (24, 2, False, 24 * 24),
        (24, 2, True, sum(range(1, 25))),
        (40, 6, True, sum(range(1, 25))),
        (8, 6, True, sum(range(1, 9)) + 16 * 8),
    ],
)
def test_attention_counts_what_is_not_masked_in_groups_of_heads_too(
    keys: int, kv_heads: int, *, is_causal: bool, pairs: int
) -> None:
    aten = torch.ops.aten

    graph = torch.fx.Graph()
    mode = torch._subclasses.FakeTensorMode()
    with mode:
        query = torch.empty(BATCH, HEADS, QUERIES, WIDTH)
        key = torch.empty(BATCH, kv_heads, keys, WIDTH)
    places = [graph.placeholder(name) for name in ("q", "k", "v", "out", "log")]
    for place, value in zip(places, (query, key, key, query, query[..., 0]), strict=True):
        place.meta["val"] = value
    q, k, v, out, log = places
    forward = graph.call_function(
        aten._scaled_dot_product_flash_attention_for_cpu.default, (q, k, v, 0.0, is_causal)
    )
    backward = graph.call_function(
        aten._scaled_dot_product_cudnn_attention_backward.default,
        (out, q, k, v, out, log, None, None, None, None, None, QUERIES, keys, 0.0, is_causal),
    )
    product = 2 * BATCH * HEADS * pairs * WIDTH
    assert [flops_of(forward), flops_of(backward)] == [2 * product, 5 * product]


LENGTH = 520  # with the default blocks of 128 the last row and the last column are not full


def _window(_: Any, h: Any, q: Any, k: Any) -> Any:
    return (q >= k) & (q - k <= 128 * (h + 1))


@pytest.mark.parametrize("heads", [None, HEADS])
@pytest.mark.parametrize("kv_heads", [HEADS, 2])
@pytest.mark.parametrize("is_given", [False, True])
def test_flex_attention_counts_the_blocks_that_it_computes(
    heads: int | None, kv_heads: int, *, is_given: bool
) -> None:
    mask = create_block_mask(_window, None, heads, LENGTH, LENGTH, device="cpu")

    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, given: Any = None) -> Any:
        used = mask if given is None else given
        return flex_attention(q, k, v, block_mask=used, enable_gqa=kv_heads != HEADS).relu()

    (count,) = _flex_counts(attend, kv_heads, *([mask] if is_given else ()))
    # Torch's own picture of the mask: 1 for each block that is not skipped.
    blocks = int((mask.to_dense() != 0).sum()) * (HEADS if heads is None else 1)
    assert count == 2 * (BATCH * blocks * 128 * 128) * 2 * WIDTH


def _flex_counts(attend: Callable[..., Any], kv_heads: int, *more: object) -> list[int | None]:
    found: list[int | None] = []

    def noting(module: torch.fx.GraphModule, _: object) -> Callable[..., Any]:
        nodes = [node for node in module.graph.nodes if "flex" in str(node.target)]
        found.extend(map(flops_of, nodes))
        return module.forward

    torch._dynamo.reset()
    key = torch.randn(BATCH, kv_heads, LENGTH, WIDTH)
    arguments = torch.randn(BATCH, HEADS, LENGTH, WIDTH), key, key
    torch.compile(attend, backend=aot_autograd(fw_compiler=noting))(*arguments, *more)
    return found


@pytest.mark.parametrize(("dtype", "each"), [(torch.float32, 1), (torch.complex64, 4)])
def test_a_product_of_complex_numbers_is_four_of_real_ones(dtype: torch.dtype, each: int) -> None:
    x, y = torch.randn(4, 8, dtype=dtype), torch.randn(8, 16, dtype=dtype)
    graph = make_fx(torch.mm, tracing_mode="fake")(x, y).graph
    (count,) = [flops_of(node) for node in graph.nodes if "mm" in str(node.target)]
    assert count == each * 2 * 4 * 8 * 16


def test_packed_weights_are_counted_as_those_that_they_are_of() -> None:
    """What freezing makes of products and convolutions has as many operations as before."""

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(CHANNELS, CHANNELS, FILTER, groups=2)
            self.up = torch.nn.ConvTranspose2d(CHANNELS, CHANNELS, 2, stride=2)
            self.linear = torch.nn.Linear(CHANNELS, 64)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.linear(self.up(self.conv(x)).mean((2, 3)))

    found: list[tuple[str, int]] = []

    def noting(graph: torch.fx.Graph) -> None:
        counts = [(str(node.target), flops_of(node)) for node in graph.nodes]
        found.extend((name, count) for name, count in counts if count)

    torch._dynamo.reset()
    with (
        torch.no_grad(),
        torch._inductor.config.patch(
            freezing=True, post_grad_custom_post_pass=noting, fx_graph_cache=False
        ),
    ):
        torch.compile(Model().eval())(torch.randn(BATCH, CHANNELS, SIZE, SIZE))
    conv = 2 * BATCH * CHANNELS * (CHANNELS // 2) * FILTER**2 * OUT**2
    up = 2 * BATCH * CHANNELS * CHANNELS * 4 * OUT**2
    linear = 2 * BATCH * CHANNELS * 64
    assert [count for _, count in found] == [conv, up, linear]
    assert not any(name.startswith("aten") for name, _ in found), found
