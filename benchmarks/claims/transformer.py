"""The block of samples/transformer_block, as wide as BERT-base: 16 texts of 512 tokens."""

import importlib.util
from pathlib import Path

import torch

FILE = Path(__file__).resolve().parents[2] / "samples" / "transformer_block" / "model.py"


def get_model():
    spec = importlib.util.spec_from_file_location("transformer_block", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    return module.Block(width=768, heads=12)


def get_inputs():
    return [torch.randn(16, 512, 768)]
