"""What is said of numbers and of keys beside what stock torch does with others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.compile.test_next_changes import CHILD, compiled, texts_of

pytestmark = pytest.mark.compile
MODEL = """
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
CHANGES = {
    "n is specialized on 7 by `if n == 7:`: another value recompiles": {"n": 6},
    "m is dynamic while `m != 1`: 1 recompiles": {"m": 1},
    "m is dynamic while `12*m >= 2`: 0 recompiles": {"m": 0},
    "s is dynamic while `s > 0.5`: 0.5 recompiles": {"s": 0.5},
    "batch is specialized on its keys 'a', 'b', in this order: another set": {"keys": ("a", "c")},
    "k is an int of any value: a float recompiles": {"k": 8.5},
    "n is an int: a float recompiles": {"n": 8.5},
}
UNCHANGED: tuple[dict[str, Any], ...] = ({"m": 9}, {"k": 0}, {"k": 1}, {"s": 0.6})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("numbers")
    (path / "model.py").write_text(MODEL)
    (path / "child.py").write_text(CHILD)
    return path


def test_what_holds_is_said_once(folder: Path) -> None:
    listed = texts_of(folder)

    for text in CHANGES:
        assert sum(item.startswith(text) for item in listed) == 1, listed
    assert not [item for item in listed if item.startswith(("n is an int of", "batch has"))]
    assert sum(item.startswith("n is specialized on") for item in listed) == 1
    assert sum(item.startswith("m is dynamic") for item in listed) == 2


def test_torch_compiles_for_each_of_them_alone(folder: Path) -> None:
    changes = [*CHANGES.values(), {"keys": ("b", "a")}, *UNCHANGED]

    assert compiled(folder, changes) == [1] * (len(CHANGES) + 1) + [0] * len(UNCHANGED)


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
    (tmp_path / "model.py").write_text(TOLD_APART)
    (tmp_path / "child.py").write_text(CHILD)
    listed = texts_of(tmp_path)
    assert [text for text in listed if text.startswith("n is specialized on 1")], listed
    assert [text for text in listed if text.startswith("sizes is specialized on length")], listed
    known, new = {"sizes": 4, "n": 6}, {"sizes": 5, "n": 1}
    assert compiled(tmp_path, [known, new, {"sizes": 3, "n": 8}]) == [0, 1, 1]
