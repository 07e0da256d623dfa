import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)

    def forward(self, *, input_ids, attention_mask=None):
        x = self.embed(input_ids)
        return x if attention_mask is None else x * attention_mask[..., None]


def make_model():
    return Encoder()


def get_example_inputs():
    ids = torch.randint(0, 100, (1, 12))
    return [{"input_ids": ids}, {"input_ids": ids, "attention_mask": torch.ones(1, 12)}]
