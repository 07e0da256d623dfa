"""The commands behind ``next:`` work when they are pasted in the same folder."""

import shlex
from pathlib import Path

import pytest

from tests.compile.test_explain import inspect

MODELS = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x, scale):
        return self.layer(x) * scale

def branch(x, n):
    return x * n if x.sum() > 0 else x

def fails(x):
    torch.ops.aten.relu(x)
    raise ValueError("no")
"""


def _next(text: str) -> list[str]:
    """The commands, each on a line of its own: the reports are as wide as they need to be."""
    last = text.rpartition("next: ")[2] if "next: " in text else ""
    return [line.strip() for line in last.splitlines() if line.strip()]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "explain 'my models.py:Net' --input f32[2,4] --input scale=.5 --backend eager_noexcept",
            ("--train", "inspect report"),
        ),
        ("explain 'my models.py:branch' --input f32[4] --input 3 --dynamic",
         ("GB0170", "--verify", "inspect report")),
        ("explain 'my models.py:fails' --input f32[4]", ("GB0088", "inspect report")),
        ("graph 'my models.py:Net' --input f32[2,4] --input 2.0 --stage forward --train",
         ("graph.svg",)),
    ],
)  # fmt: skip
def test_the_next_lines_work(command: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "my models.py").write_text(MODELS)
    options = ("--no-progress", *(("--no-measure",) if command.startswith("explain") else ()))
    first = inspect([*shlex.split(command), *options], tmp_path, COLUMNS="200")
    steps = _next(first.stdout)

    assert len(steps) == len(expected), first.stdout + first.stderr
    for step, end in zip(steps, expected, strict=True):
        assert step.endswith(end)
        done = inspect(shlex.split(step)[1:], tmp_path)
        assert done.returncode == 0, step + done.stderr
