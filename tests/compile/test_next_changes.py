"""The printed list of what recompiles next, against what stock torch does with such changes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compile.warm_python import INSPECT

pytestmark = pytest.mark.compile
ROOT = Path(__file__).resolve().parents[2]
# Relations of sizes, a key that is asked for, numbers, and tensors that are different ones.
MODEL = """
import torch

def model(x, y, names, flag=None, scale=2, mask=None):
    if x.shape[0] > 10:
        x = x * 2
    if x.shape[1] % 4 == 0:
        x = x + 1
    if "b" in names:
        x = x + 1
    if flag is None:
        x = x - scale
    if mask is not None:
        x = x + mask
    if "c" in names:
        x = x + names["c"]
    return x.sum() + y.sum() + names["a"]

def call(batch=5, width=12, keys="ac", flag=None, scale=3, alias=False, masked=True):
    x = torch.randn(batch, width)
    y = x if alias else torch.randn(3)
    mask = torch.ones(1) if masked else None
    return (x, y, {key: torch.ones(1) for key in keys}, flag, scale, mask)

def get_inputs():
    return [call(4, 8, scale=2), call()]
"""
# By a part of the printed line: the change that it speaks of.
CHANGES = {
    "x.size(0) is dynamic while `2 <= x.size(0) <= 10`: 11": {"batch": 11},
    "x.size(1) is dynamic while `(x.size(1) % 4) == 0`: 11": {"width": 11},
    "x.size(0) is dynamic: 0 or 1": {"batch": 1},
    "names has no 'b': a call with it": {"keys": "abc"},
    "names has 'c': a call without it": {"keys": "a"},
    "mask is a tensor: None": {"masked": False},
    "flag is None: a value": {"flag": 1},
    "scale is an int of any value: a float": {"scale": 3.5},
    "x and y are different tensors: one tensor for both": {"alias": True},
}
UNCHANGED: tuple[dict[str, Any], ...] = (
    {"batch": 7},
    {"width": 16},
    {"scale": 9},
    {"batch": 9, "width": 20},
)
CHILD = """
import json, sys
import torch
from torch._dynamo.testing import CompileCounter
import model as program

def compiles(change):
    torch._dynamo.reset()
    counter = CompileCounter()
    function = torch.compile(program.model, backend=counter)
    for arguments in program.get_inputs():
        function(*arguments)
    before = counter.frame_count
    function(*program.call(**change))
    return counter.frame_count - before

print(json.dumps([compiles(change) for change in json.loads(sys.argv[1])]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("next")
    (path / "model.py").write_text(MODEL)
    (path / "child.py").write_text(CHILD)
    return path


@pytest.fixture(scope="module")
def listed(folder: Path) -> list[str]:
    return texts_of(folder)


def texts_of(folder: Path) -> list[str]:
    """What recompiles the model of a folder next."""
    command = [*INSPECT, "guards", "model.py:model", "--no-measure"]
    done = subprocess.run(
        [*command, "--no-progress", "--format", "json"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    (frame,) = json.loads(done.stdout)["frames"]
    return [item["text"] for item in frame["next_changes"]]


def compiled(folder: Path, changes: list[dict[str, Any]]) -> list[int]:
    """How often stock torch compiles for each change behind the model's own calls."""
    done = subprocess.run(
        [sys.executable, "child.py", json.dumps(changes)],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: list[int] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("text", CHANGES)
def test_it_is_in_the_list(text: str, listed: list[str]) -> None:
    assert any(item.startswith(text) for item in listed), listed


def test_torch_compiles_for_each_of_them(folder: Path) -> None:
    assert compiled(folder, list(CHANGES.values())) == [1] * len(CHANGES)


def test_torch_compiles_for_nothing_that_is_not_in_it(folder: Path) -> None:
    assert compiled(folder, list(UNCHANGED)) == [0] * len(UNCHANGED)
