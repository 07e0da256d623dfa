"""BERT-base (12 layers, 768 wide) from transformers with random weights, one short sentence."""

import torch
from transformers import BertConfig, BertModel

torch.manual_seed(0)
model = BertModel(BertConfig()).eval()
example_inputs = {
    "input_ids": torch.randint(0, 30522, (1, 16)),
    "attention_mask": torch.ones(1, 16, dtype=torch.int64),
}
