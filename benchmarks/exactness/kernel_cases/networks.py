"""Whole small networks, and transformers with realistic proportions in half precision."""

from __future__ import annotations

import importlib
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.exactness.kernel_cases.case import Case, case


def linear_gelu_softmax(device: str) -> Case:
    module = nn.Sequential(
        nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.GELU(), nn.LayerNorm(512),
        nn.Softmax(-1),
    )  # fmt: skip
    return case(device, module, torch.randn(64, 256))


def mixer(device: str) -> Case:
    class Mixer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.LayerNorm(64)
            self.tokens = nn.Sequential(nn.Linear(49, 98), nn.GELU(), nn.Linear(98, 49))
            self.channels = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))

        def forward(self, x: Tensor) -> Tensor:
            x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
            return x + self.channels(self.norm(x))

    return case(device, Mixer(), torch.randn(4, 49, 64))


def convolution_and_attention(device: str) -> Case:
    class Hybrid(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 64, 4, 4), nn.GELU())
            self.encoder = nn.TransformerEncoder(
                nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2
            )
            self.head = nn.Linear(64, 10)

        def forward(self, x: Tensor) -> Tensor:
            tokens = self.stem(x).flatten(2).transpose(1, 2)
            return self.head(self.encoder(tokens).mean(1))

    return case(device, Hybrid(), torch.randn(4, 3, 32, 32))


def autoencoder(device: str) -> Case:
    module = nn.Sequential(
        nn.Conv2d(1, 8, 3, 2, 1), nn.ELU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ELU(),
        nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.LeakyReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1),
        nn.Sigmoid(),
    )  # fmt: skip
    return case(device, module, torch.randn(8, 1, 28, 28))


def _transformer(device: str, model: str, config: str, dtype: torch.dtype, **sizes: Any) -> Case:
    transformers = importlib.import_module("transformers")
    settings = {"vocab_size": 1000, "hidden_size": 256, "num_hidden_layers": 2,
                "num_attention_heads": 4, "intermediate_size": 512} | sizes  # fmt: skip
    settings |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    module = getattr(transformers, model)(getattr(transformers, config)(**settings)).to(dtype)
    return case(device, module, torch.randint(3, 1000, (2, 64)))


def llama_bf16(device: str) -> Case:
    return _transformer(
        device, "LlamaForCausalLM", "LlamaConfig", torch.bfloat16, num_key_value_heads=2
    )


def bert_f16(device: str) -> Case:
    return _transformer(device, "BertModel", "BertConfig", torch.float16)


def mixtral_bf16(device: str) -> Case:
    return _transformer(device, "MixtralForCausalLM", "MixtralConfig", torch.bfloat16,
                        num_key_value_heads=2, num_local_experts=4)  # fmt: skip


def gemma2_bf16(device: str) -> Case:
    return _transformer(device, "Gemma2ForCausalLM", "Gemma2Config", torch.bfloat16,
                        num_key_value_heads=2, head_dim=64)  # fmt: skip


def qwen3_bf16(device: str) -> Case:
    return _transformer(device, "Qwen3ForCausalLM", "Qwen3Config", torch.bfloat16,
                        num_key_value_heads=2, head_dim=64)  # fmt: skip
