import collections
import dataclasses

import torch
from torch import nn

Pair = collections.namedtuple("Pair", "low high")


@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    pair: Pair


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, batch, extras):
        y = self.fc(batch.x) * batch.pair.high
        return {"y": y + sum(extras["more"])}


model = Net()
shared = torch.randn(2, 4)
example_inputs = (Batch(shared, Pair(1.0, shared[:1])), {"more": [shared, shared], "none": None})
