"""``--export``: the file runs without a GPU in Triton's interpreter, and agrees with eager."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.compile import warm_python
from tests.compile.gpu_kernels import ROOT, inspected

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
    done = inspected(
        folder, "kernels", "recording", "--export", "all", "-o", "kernels", "--compile"
    )
    assert done.returncode == 0
    assert len(names) > 4
    paths = [folder / "kernels" / f"{name}.py" for name in names]
    # The first one alone, as a user starts it.
    others_too = [in_a_fork(file) for file in paths[1:]]
    first = subprocess.run(
        [sys.executable, str(paths[0])], capture_output=True, text=True, check=False,
        env={**os.environ, "TRITON_INTERPRET": "1"},
    )  # fmt: skip
    for name, result in zip(names, [first, *others_too], strict=True):
        assert f"wrote kernels/{name}.py: " in done.stderr
        told += (lines := result.stdout.splitlines()[1:-1])
        is_compared = any("agrees" in line for line in lines)
        assert result.returncode == (0 if is_compared else 2), result.stdout + result.stderr

    compared = [line for line in told if "agrees with eager" in line]
    others = [line for line in told if "not compared" in line]
    assert len(compared) + len(others) == len(told)
    # What is drawn is drawn otherwise by eager; what comes of it is compared.
    assert [line for line in others if "random" not in line] == []
    assert len(compared) > 2 * len(others)


@pytest.mark.parametrize(("right", "wrong", "said"), [
    ("0.7071067811865476, tl.float32", "0.8071067811865476, tl.float32", "DIFFERS from eager"),
    ("], 0.5, tl.float32", "], float('inf'), tl.float32", "on one side only"),
])  # fmt: skip
def test_a_wrong_kernel_differs_from_eager(
    recorded: tuple[Path, list[str]], right: str, wrong: str, said: str
) -> None:
    folder, names = recorded
    name = next(name for name in names if "gelu" in name and "backward" not in name)
    text = inspected(folder, "kernels", "recording", "--export", name, "--compile").stdout
    assert right in text
    (folder / "wrong.py").write_text(text.replace(right, wrong))
    result = in_a_fork(folder / "wrong.py")

    assert result.returncode == 1
    assert said in result.stdout


@pytest.mark.parametrize(("arguments", "message"), [
    (("--export", "triton_poi_nothing"), "There is no kernel 'triton_poi_nothing'"),
    (("--export", "all"), "--export all writes a folder"),
    (("--export", "triton_"), "'triton_' is in the names of"),
    (("--export", "{}", "-o", "kernel.md"), "Call it kernel.py"),
    (("--export", "{}", "--as", "ptx"), "excludes --show, --as and --format"),
    (("--export", "{}", "-o", "missing/kernel.py"), "There is no folder missing"),
])  # fmt: skip
def test_what_cannot_be_exported_is_said(
    recorded: tuple[Path, list[str]], arguments: tuple[str, ...], message: str
) -> None:
    folder, names = recorded
    asked = [item.format(names[0]) for item in arguments]
    done = inspected(folder, "kernels", "recording", "--compile", *asked)

    assert done.returncode in {2, 4}
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_zipped_recording_is_exported_as_well(recorded: tuple[Path, list[str]]) -> None:
    folder, names = recorded
    shutil.make_archive(str(folder / "zipped"), "zip", folder / "recording")
    done = inspected(
        folder, "kernels", "zipped.zip", "--export", names[0], "-o", "zipped.py", "--compile"
    )

    assert done.returncode == 0, done.stderr
    assert (folder / "zipped.py").read_text().startswith('"""')


def test_a_kernel_in_cpp_does_not_stand_alone(tmp_path: Path) -> None:
    file = str(ROOT / "tests/unit/data/cpp_kernels/torch_2_13.log.gz")
    shown = inspected(tmp_path, "kernels", file, "--format", "markdown").stdout
    (name, *_) = re.findall(r"cpp_\w+", shown)
    done = inspected(tmp_path, "kernels", file, "--export", name, "-o", "kernel.py", "--compile")

    assert done.returncode == 2
    assert "only Triton kernels are exported" in done.stderr
    assert not (tmp_path / "kernel.py").exists()


def test_a_value_that_was_padded_is_larger_than_the_buffer() -> None:
    """Of the code that stands in every exported kernel."""
    text = files("inspector.features.kernels.exported").joinpath("harness.txt").read_text("utf-8")
    names = {"places_of", "shaped"}
    wanted = [node for node in ast.parse(text).body if getattr(node, "name", "") in names]
    found: dict[str, Any] = {"torch": torch}
    exec(compile(ast.Module(wanted, []), "harness.txt", "exec"), found)  # noqa: S102 - our own text
    shaped, buffer = found["shaped"], torch.arange(6.0).view(3, 2)
    assert shaped(buffer, (4, 2), (2, 1)).tolist() == [[0, 1], [2, 3], [4, 5], [0, 0]]
    assert shaped(buffer, (2, 3), (1, 2)).tolist() == [[0, 2, 4], [1, 3, 5]]
    assert shaped(buffer, (0, 3), (3, 1)).shape == (0, 3)
