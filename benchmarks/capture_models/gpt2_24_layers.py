"""GPT-2 medium (24 layers, 1024 wide) from transformers with random weights, 32 tokens."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
config = GPT2Config(n_layer=24, n_embd=1024, n_head=16, use_cache=False)
model = GPT2LMHeadModel(config).eval()
example_inputs = {"input_ids": torch.randint(0, 50257, (1, 32))}
