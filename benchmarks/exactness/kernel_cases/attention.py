"""Attention: every way in which CUDA chooses a kernel, by dtype, head size, mask and dropout."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, case

HALF = torch.float16
BRAIN = torch.bfloat16
FULL = torch.float32


def _sdpa(device: str, dtype: torch.dtype, head: int = 64, length: int = 128, **kw: Any) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        out = functional.scaled_dot_product_attention(query * 2, key, value, **kw)
        return out.transpose(1, 2).flatten(2) + 1

    shape = (2, 4, length, head)
    return case(device, function, *(torch.randn(shape, dtype=dtype) for _ in range(3)))


def _masked(device: str, dtype: torch.dtype, mask: Tensor, head: int = 64) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask) * 2

    shape = (2, 4, 128, head)
    inputs = [torch.randn(shape, dtype=dtype) for _ in range(3)]
    return case(device, function, *inputs, mask)


CASES: dict[str, Callable[[str], Case]] = {
    name: functools.partial(_sdpa, dtype=dtype, **options)
    for name, dtype, options in (
        ("sdpa_f16", HALF, {}),
        ("sdpa_bf16_causal", BRAIN, {"is_causal": True}),
        ("sdpa_f32", FULL, {}),
        ("sdpa_f32_causal", FULL, {"is_causal": True}),
        ("sdpa_f64", torch.float64, {"head": 32}),
        ("sdpa_head_128", BRAIN, {"head": 128, "is_causal": True}),
        ("sdpa_head_256", HALF, {"head": 256}),
        ("sdpa_head_512", HALF, {"head": 512, "length": 64}),
        ("sdpa_head_odd", HALF, {"head": 20}),
        ("sdpa_head_odd_f32", FULL, {"head": 6, "length": 50}),
        ("sdpa_length_odd", BRAIN, {"length": 77}),
        ("sdpa_dropout_f16", HALF, {"dropout_p": 0.1}),
        ("sdpa_dropout_f32", FULL, {"dropout_p": 0.1}),
        ("sdpa_scale", HALF, {"scale": 0.5}),
    )
}


def sdpa_mask_f16(device: str) -> Case:
    return _masked(device, HALF, torch.randn(2, 1, 128, 128, dtype=HALF))


def sdpa_mask_bool_f32(device: str) -> Case:
    return _masked(device, FULL, torch.ones(128, 128, dtype=torch.bool).tril())


def sdpa_mask_bool_bf16(device: str) -> Case:
    return _masked(device, BRAIN, torch.ones(2, 1, 1, 128, dtype=torch.bool))


def sdpa_mask_float_f32(device: str) -> Case:
    return _masked(device, FULL, torch.randn(2, 4, 128, 128))


def sdpa_mask_odd(device: str) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)

    shape = (2, 4, 77, 64)
    inputs = [torch.randn(shape) for _ in range(3)]
    return case(device, function, *inputs, torch.randn(77, 77))


def sdpa_grouped(device: str) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, enable_gqa=True
        )

    keys = [torch.randn(2, 2, 64, 64, dtype=BRAIN) for _ in range(2)]
    return case(device, function, torch.randn(2, 8, 64, 64, dtype=BRAIN), *keys)


def sdpa_three_dimensions(device: str) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(query, key, value)

    return case(device, function, *(torch.randn(8, 64, 32) for _ in range(3)))


def sdpa_cross(device: str) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(query, key, value).relu()

    keys = [torch.randn(2, 4, 96, 64, dtype=HALF) for _ in range(2)]
    return case(device, function, torch.randn(2, 4, 32, 64, dtype=HALF), *keys)


def sdpa_math_only(device: str) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            return functional.scaled_dot_product_attention(query, key, value)

    return case(device, function, *(torch.randn(2, 4, 64, 32, dtype=HALF) for _ in range(3)))


def sdpa_cudnn_only(device: str) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return functional.scaled_dot_product_attention(query, key, value) + 1

    return case(device, function, *(torch.randn(2, 4, 128, 64, dtype=BRAIN) for _ in range(3)))


def by_hand(device: str) -> Case:
    """What the pattern matcher takes for attention."""

    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = torch.matmul(query, key.transpose(-2, -1)).div(8.0)
        return torch.matmul(scores.softmax(-1), value)

    return case(device, function, *(torch.randn(2, 4, 128, 64) for _ in range(3)))


def by_hand_half_masked(device: str) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        scores = torch.matmul(query, key.transpose(-2, -1)) / 8.0 + mask
        return torch.matmul(scores.softmax(-1), value)

    inputs = [torch.randn(2, 4, 128, 64, dtype=HALF) for _ in range(3)]
    return case(device, function, *inputs, torch.zeros(2, 1, 1, 128, dtype=HALF))


def multihead(device: str) -> Case:
    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(128, 4, dropout=0.1, batch_first=True)

        def forward(self, x: Tensor) -> Tensor:
            return self.attention(x, x, x, need_weights=False)[0]

    return case(device, Attention(), torch.randn(4, 50, 128))


def self_attention_bf16(device: str) -> Case:
    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(256, 768)
            self.out = nn.Linear(256, 256)

        def forward(self, x: Tensor) -> Tensor:
            batch, length, width = x.shape
            qkv = self.qkv(x).view(batch, length, 3, 4, 64).permute(2, 0, 3, 1, 4)
            query, key, value = qkv[0], qkv[1], qkv[2]
            y = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            return self.out(y.transpose(1, 2).reshape(batch, length, width))

    return case(device, Attention().to(BRAIN), torch.randn(2, 128, 256, dtype=BRAIN))


def flex_plain(device: str) -> Case:
    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return flex_attention(query, key, value)

    return case(device, function, *(torch.randn(2, 4, 256, 64, dtype=BRAIN) for _ in range(3)))


def flex_score(device: str) -> Case:
    def bias(score: Tensor, batch: Tensor, head: Tensor, row: Tensor, column: Tensor) -> Tensor:  # noqa: ARG001
        return score + (row - column) * 0.1

    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return flex_attention(query, key, value, score_mod=bias)

    return case(device, function, *(torch.randn(2, 4, 256, 64) for _ in range(3)))


def flex_block_causal(device: str) -> Case:
    def causal(batch: Tensor, head: Tensor, row: Tensor, column: Tensor) -> Tensor:  # noqa: ARG001
        return row >= column

    mask = create_block_mask(causal, None, None, 256, 256, device=device)

    def function(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return flex_attention(query, key, value, block_mask=mask)

    return case(device, function, *(torch.randn(2, 4, 256, 64, dtype=HALF) for _ in range(3)))


def transformer_layer(device: str) -> Case:
    layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    return case(device, layer, torch.randn(4, 32, 128))


def transformer_decoder(device: str) -> Case:
    layer = nn.TransformerDecoderLayer(64, 4, 128, batch_first=True, norm_first=True)
    return case(device, layer, torch.randn(2, 16, 64), torch.randn(2, 24, 64))


def encoder_eval_padding(device: str) -> Case:
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2)

    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, x: Tensor, padding: Tensor) -> Tensor:
            return self.encoder(x, src_key_padding_mask=padding)

    padding = torch.zeros(2, 16, dtype=torch.bool)
    return case(device, Masked(), torch.randn(2, 16, 64), padding)


def alibi(device: str) -> Case:
    class Alibi(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("slopes", torch.tensor([0.5, 0.25, 0.125, 0.0625]))

        def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            rows = torch.arange(query.shape[2], device=query.device)
            distance = (rows[None, :] - rows[:, None]).float()
            mask = (distance[None] * self.slopes[:, None, None]).to(query.dtype)
            return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask[None])

    inputs = [torch.randn(1, 4, 64, 32, dtype=HALF) for _ in range(3)]
    return case(device, Alibi(), *inputs, passes=(INFERENCE,))
