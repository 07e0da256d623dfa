"""A break under activation checkpointing: what of it runs eagerly, and a fix that leaves one graph.

The advice itself is tried in test_advice.py; here the call is in a loop, where torch's record names
neither the checkpoint nor the function that calls it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compile.processes import inspected, report

pytestmark = pytest.mark.compile
PROGRAM = """
import json
import torch
from torch import nn
from torch._dynamo.testing import CompileCounter
from torch.utils.checkpoint import checkpoint

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.norm = 0.0

    def forward(self, x):
        y = self.linear(x).relu()
        self.norm = y.norm().item()
        return x + y

class Returning(Block):
    def forward(self, x):
        y = self.linear(x).relu()
        return x + y, y.norm().detach()

class Model(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.blocks = nn.ModuleList(block() for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x.sum()

class Storing(Model):
    def forward(self, x):
        for block in self.blocks:
            x, block.norm = checkpoint(block, x, use_reentrant=False)
        return x.sum()

def trained(model):
    counter = CompileCounter()
    torch.compile(model, backend=counter)(torch.ones(2, 4)).backward()
    norms = torch.tensor([float(block.norm) for block in model.blocks])
    return counter.frame_count, [norms, *(item.grad for item in model.parameters())]

graphs = []
results = []
for model, block in ((Model, Block), (Storing, Returning)):
    torch.manual_seed(0)
    number, values = trained(model(block))
    graphs.append(number)
    results.append(values)
torch.testing.assert_close(*results)
print(json.dumps(graphs))
"""


def test_the_value_is_a_second_result(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    done = inspected("run", "--save", "kept", "python", "train.py", folder=tmp_path)
    assert json.loads(done.stdout.splitlines()[-1]) == [0, 1]  # graphs, with equal gradients
    (finding,) = report(tmp_path / "kept")["findings"]

    notes = " ".join(finding["notes"])
    assert "the whole function runs eagerly (Model.forward)" in notes
    assert "a graph cannot break inside torch.utils.checkpoint.checkpoint" in notes
    assert finding["fix"].startswith("Return the value (`t.detach()` for a number) as a second")
