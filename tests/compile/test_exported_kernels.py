"""``--export``: the file runs without a GPU in Triton's interpreter, and agrees with eager."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compile import warm_python
from tests.compile.gpu_kernels import inspected

MODEL = """
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(64, 128)
        self.norm, self.drop = torch.nn.LayerNorm(128), torch.nn.Dropout(0.1)
        self.names = torch.nn.Embedding(50, 128)
        self.image = torch.nn.Conv2d(3, 16, 3, bias=False)
    def forward(self, x, i, z):
        y = torch.nn.functional.gelu(self.a(x)) + self.names(i)
        y = self.drop(self.norm(y))
        return y.softmax(-1), y.half().tanh(), y.sum(), self.image(z)
model = Net().cuda()
example_inputs = (torch.randn(8, 32, 64), torch.randint(0, 50, (8, 32)), torch.randn(2, 3, 8, 8))
"""


def in_a_fork(file: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    with file.with_suffix(".txt").open("w+") as output:
        code = warm_python.run([str(file)], file.parent, environment, output)
        output.seek(0)
        return subprocess.CompletedProcess([], code, output.read(), "")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of a recording, and the names of its Triton kernels."""
    folder = tmp_path_factory.mktemp("exported")
    (folder / "model.py").write_text(MODEL)
    done = inspected(
        folder, "kernels", "model.py", "--gpu", "h200", "--train", "--no-compile", "--no-progress",
        "--save", "recording", "--format", "markdown",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder, list(dict.fromkeys(re.findall(r"triton_(?:per|red|poi)_\w+", done.stdout)))


def test_every_kernel_runs_and_agrees_with_eager(recorded: tuple[Path, list[str]]) -> None:
    folder, names = recorded
    told: list[str] = []
    assert len(names) > 4
    paths = [folder / f"{name}.py" for name in names]
    for name in names:
        export = ("--export", name, "-o", f"{name}.py", "--compile")
        done = inspected(folder, "kernels", "recording", *export)
        assert f"wrote {name}.py; " in done.stderr
    # The first one alone, as a user starts it.
    others_too = [in_a_fork(file) for file in paths[1:]]
    first = subprocess.run(
        [sys.executable, str(paths[0])], capture_output=True, text=True, check=False,
        env={**os.environ, "TRITON_INTERPRET": "1"},
    )  # fmt: skip
    for result in (first, *others_too):
        told += (lines := result.stdout.splitlines()[1:-1])
        is_compared = any("agrees" in line for line in lines)
        assert result.returncode == (0 if is_compared else 2), result.stdout + result.stderr

    compared = [line for line in told if "agrees with eager" in line]
    others = [line for line in told if "not compared" in line]
    assert len(compared) + len(others) == len(told)
    # What is drawn is drawn otherwise by eager; what comes of it is compared.
    assert [line for line in others if "random" not in line] == []
    assert len(compared) > 2 * len(others)


def test_a_wrong_kernel_differs_from_eager(recorded: tuple[Path, list[str]]) -> None:
    folder, names = recorded
    name = next(name for name in names if "gelu" in name and "backward" not in name)
    text = inspected(folder, "kernels", "recording", "--export", name, "--compile").stdout
    for right, wrong, said in (
        ("0.7071067811865476, tl.float32", "0.8071067811865476, tl.float32", "DIFFERS from eager"),
        ("], 0.5, tl.float32", "], float('inf'), tl.float32", "on one side only"),
    ):
        assert right in text
        (folder / "wrong.py").write_text(text.replace(right, wrong))
        result = in_a_fork(folder / "wrong.py")
        assert result.returncode == 1
        assert said in result.stdout
