import dataclasses
import pickle

import torch
from torch import nn


@dataclasses.dataclass
class Config:
    width: int = 4


class Net(nn.Module):
    def __init__(self, config=Config()):
        super().__init__()
        self.config = config
        self.fc = nn.Linear(config.width, config.width)

    def forward(self, x):
        return self.fc(x)


model = pickle.loads(pickle.dumps(Net()))
example_inputs = [torch.randn(2, 4)]
