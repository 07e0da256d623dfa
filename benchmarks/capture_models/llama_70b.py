"""The configuration of Llama 3 70B: 80 layers, bfloat16, 2048 tokens; for ``--fake``."""

from __future__ import annotations

import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.set_default_dtype(torch.bfloat16)
model = LlamaForCausalLM(
    LlamaConfig(
        hidden_size=8192,
        intermediate_size=28672,
        num_hidden_layers=80,
        num_attention_heads=64,
        num_key_value_heads=8,
        vocab_size=128_256,
        max_position_embeddings=8192,
        rms_norm_eps=1e-5,
        use_cache=False,
    )
).eval()


def get_inputs() -> dict[str, torch.Tensor]:
    """One sequence of 2048 tokens."""
    return {"input_ids": torch.randint(0, 128_256, (1, 2048))}
