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

def call(batch=5, width=12, keys="ac", flag=None, scale=3, masked=True):
    x = torch.randn(batch, width)
    y = torch.randn(3)
    mask = torch.ones(1) if masked else None
    return (x, y, {key: torch.ones(1) for key in keys}, flag, scale, mask)

def get_inputs():
    return [call(4, 8, scale=2), call()]
"""
# By a part of the printed line: the change that it speaks of.
CHANGES = {
    "x.size(0) is dynamic as long as `2 <= x.size(0) <= 10`: 11": {"batch": 11},
    "x.size(1) is dynamic as long as `(x.size(1) % 4) == 0`: 11": {"width": 11},
    "x.size(0) is dynamic: 0 or 1": {"batch": 1},
    "names has no 'b': a call with it": {"keys": "abc"},
    "names has 'c': a call without it": {"keys": "a"},
    "mask is a tensor: None": {"masked": False},
    "flag is None: a value": {"flag": 1},
}
UNCHANGED: tuple[dict[str, Any], ...] = (
    {"batch": 7},
    {"width": 16},
    {"scale": 9},
    {"batch": 9, "width": 20},
)
# Numbers that are dynamic within relations, and the keys of a dict.
NUMBERS = """
import torch

def model(x, batch, n, m, k, s):
    if n == 7:
        x = x + 1
    x = x.unsqueeze(0).expand(m, 4, 3) * k
    if s > 0.5:
        x = x * s
    for name, value in batch.items():
        x = x + value * len(name)
    return x.sum() * n

def call(n=7, m=5, k=8, s=0.75, keys=("a", "b")):
    return (torch.ones(4, 3), {key: torch.full((4, 3), 2.0) for key in keys}, n, m, k, s)

def get_inputs():
    return [call(3, 4, 2, 0.25), call()]
"""
NUMBER_CHANGES = {
    "n is specialized on 7 by `if n == 7:`: another value recompiles": {"n": 6},
    "m is dynamic as long as `m != 1`: 1 recompiles": {"m": 1},
    "m is dynamic as long as `12*m >= 2`: 0 recompiles": {"m": 0},
    "s is dynamic as long as `s > 0.5`: 0.5 recompiles": {"s": 0.5},
    "batch is specialized on its keys 'a', 'b', in this order: another set": {"keys": ("b", "a")},
}
UNCHANGED_NUMBERS: tuple[dict[str, Any], ...] = ({"m": 9}, {"k": 0}, {"k": 1}, {"s": 0.6})
PROGRAMS = {
    "sizes": (MODEL, CHANGES, UNCHANGED),
    "numbers": (NUMBERS, NUMBER_CHANGES, UNCHANGED_NUMBERS),
}
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


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with a program, its changes that compile, and those that do not."""
    model, changes, unchanged = PROGRAMS[request.param]
    return written(tmp_path_factory.mktemp("next"), model), changes, unchanged


def written(folder: Path, model: str) -> Path:
    (folder / "model.py").write_text(model)
    (folder / "child.py").write_text(CHILD)
    return folder


def test_each_is_in_the_list(program: Any) -> None:
    folder, changes, _ = program
    listed = texts_of(folder)

    for text in changes:
        assert any(item.startswith(text) for item in listed), listed
    # What holds of a number or a dict is said once.
    assert not [item for item in listed if item.startswith(("n is an int of", "batch has"))]
    for begin, number in (("n is specialized on", 1), ("m is dynamic", 2)):
        assert sum(item.startswith(begin) for item in listed) in {0, number}


def test_torch_compiles_for_each_of_them_and_for_nothing_else(program: Any) -> None:
    folder, changes, unchanged = program
    expected = [1] * len(changes) + [0] * len(unchanged)

    assert compiled(folder, [*changes.values(), *unchanged]) == expected


TOLD_APART = """
import torch

def model(x, sizes, n):
    for size in sizes:
        x = x + size
    return x * 2 if n == 1 else x * 3 if n == 6 else x

def call(sizes, n):
    return torch.ones(3), [torch.ones(3)] * sizes, n

def get_inputs():
    return [call(4, 6), call(3, 1)]
"""


def test_what_is_tried_is_what_no_entry_has(tmp_path: Path) -> None:
    """Of 3 items and of a 1 the next ones to try have been compiled for: 4 and 6."""
    listed = texts_of(written(tmp_path, TOLD_APART))
    assert [text for text in listed if text.startswith("n is specialized on 1")], listed
    assert [text for text in listed if text.startswith("sizes is specialized on length")], listed
    known, new = {"sizes": 4, "n": 6}, {"sizes": 5, "n": 1}
    assert compiled(tmp_path, [known, new, {"sizes": 3, "n": 8}]) == [0, 1, 1]
