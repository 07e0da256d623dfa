"""An error that a caller catches is no graph break once what gives up the caller is mended."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.compile.warm_python import INSPECT

pytestmark = pytest.mark.compile
ROOT = Path(__file__).resolve().parents[2]
MODEL = """
import torch

class TooLong(ValueError):
    pass

def check(x):
    if x.shape[0] > 3:
        raise TooLong("too long")
    return x * 2

def model(x):
    x = x + 1
    try:
        print("trying")
        y = check(x)
    except TooLong:
        y = x[:3]
    return y + 1

example_inputs = (torch.ones(4),)
"""


def explained(path: Path, text: str) -> list[dict[str, Any]]:
    (path / "model.py").write_text(text)
    command = [*INSPECT, "explain", "model.py:model", "--no-measure"]
    done = subprocess.run(
        [*command, "--no-progress", "--format", "json"],
        cwd=path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: list[dict[str, Any]] = json.loads(done.stdout[done.stdout.index("{") :])["findings"]
    return found


def test_mending_what_is_named_first_mends_both(tmp_path: Path) -> None:
    first, second = explained(tmp_path, MODEL)

    assert (first["rule"], second["rule"]) == ("graph-break", "graph-break")
    assert second["fix"].startswith("Fix model.py:15 first (Failed to trace builtin operator)")
    assert explained(tmp_path, MODEL.replace('        print("trying")\n', "")) == []
