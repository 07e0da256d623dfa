"""Loops that make a large graph or a long size expression, and what torch makes of the fix."""

import json
from typing import Any

import pytest

from tests.compile.processes import inspected, report

pytestmark = pytest.mark.compile
PROGRAM = """
import json
import torch
from torch import nn
from torch._dynamo.testing import CompileCounter

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.h = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, h):
        z = torch.sigmoid(self.x(x) + self.h(h))
        n = torch.tanh(self.x(x) * self.h(h))
        return (1 - z) * n + z * h

class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, x):
        h = torch.zeros(2, 4)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return h

class Stacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList(Cell() for _ in range(18))

    def forward(self, h):
        for cell in self.cells:
            h = h + cell(h, h)
        return h

class Refined(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList(Cell() for _ in range(2))

    def inner(self, h):
        for cell in self.cells:
            h = cell(h, h)
        return h

    def forward(self, h):
        for step in range(16):
            h = self.inner(h)
        return h

def update(x, h):
    y = torch.sin(x) + torch.cos(h) * x
    return torch.tanh(y * 2 - x).relu() / 3

def nested(x):
    rows = []
    for row in x.unbind(0):
        h = torch.zeros(4)
        rows.append([h := update(item, h) for item in row])
    return [item for row in rows for item in row]

torch.manual_seed(0)
x = torch.randn(2, 20, 4)
model = Recurrent()
sizes = []
with torch.no_grad():
    for function, given in (
        (model, x), (Stacked(), x[:, 0]), (Refined(), x[:, 0]), (nested, x),
    ):
        counter = CompileCounter()
        result = torch.compile(function, backend=counter)(given)
        sizes.append(counter.op_count)
        if function is model:
            whole = result
    counter = CompileCounter()
    model.cell.compile(backend=counter)  # what the fix says
    torch.testing.assert_close(model(x), whole)
    sizes.append(counter.op_count)
    counter = CompileCounter()
    rows = nested(x)
    update = torch.compile(update, backend=counter)
    torch.testing.assert_close(nested(x), rows)
    sizes.append(counter.op_count)
print(json.dumps(sizes))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[int], list[dict[str, Any]]]:
    """How large each graph is, and the findings."""
    folder = tmp_path_factory.mktemp("unrolled_loops")
    (folder / "model.py").write_text(PROGRAM)
    done = inspected("run", "--save", "kept", "python", "model.py", folder=folder)
    assert done.returncode == 0, done.stderr
    found = report(folder / "kept")["findings"]
    sizes = json.loads(done.stdout.splitlines()[-1])
    return sizes, found


def line(code: str) -> int:
    return next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if text.strip() == code)


def test_the_body_alone_is_a_small_graph(program: tuple[list[int], list[dict[str, Any]]]) -> None:
    *large, cell, update = program[0]

    assert min(large) >= 200
    assert max(cell, update) < 20


def test_each_loop_is_found_with_its_body(program: tuple[list[int], list[dict[str, Any]]]) -> None:
    found = {item["line"]: item for item in program[1] if item["rule"] == "unrolled-loop"}
    steps = line("for t in range(x.shape[1]):")
    refined = line("for step in range(16):")
    nested = line("rows.append([h := update(item, h) for item in row])")

    assert {*found} == {steps, refined, nested}  # the layers of Stacked are 18 modules
    assert "call `self.cell.compile()`" in found[steps]["fix"]
    assert "16 times" in found[refined]["message"]
    assert "decorate `update` with `@torch.compile`" in found[nested]["fix"]
