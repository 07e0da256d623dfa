"""Every advice holds: before breaks, after does not, and both compute and write the same.

Torch 2.11 is checked where it is installed: ``python -m tests.compile.advice_child`` needs no
pytest.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.features.breaks.advice.advice import Advice
from inspector.features.breaks.advice.table import ALL
from inspector.report.wording import versions

VERSION = ".".join(importlib.metadata.version("torch").split(".")[:2])


@pytest.fixture(scope="module")
def problems(root: Path) -> dict[str, list[str]]:
    """What does not hold, by advice."""
    command = [sys.executable, "-m", "tests.compile.advice_child"]
    # It forks, and forked processes cannot use a GPU.
    environ = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    answer = subprocess.run(
        command, cwd=root, stdout=subprocess.PIPE, check=False, text=True, env=environ
    )
    return {line["id"]: line["problems"] for line in map(json.loads, answer.stdout.splitlines())}


@pytest.fixture(scope="module")
def registry() -> dict[str, str]:
    torch = importlib.util.find_spec("torch")
    assert torch
    assert torch.origin
    text = Path(torch.origin).with_name("_dynamo") / "graph_break_registry.json"
    entries = json.loads(text.read_text("utf-8"))
    return {gb_id: newest["Gb_type"] for gb_id, (newest, *_) in entries.items()}


@pytest.mark.parametrize("advice", ALL, ids=lambda advice: advice.id)
def test_an_advice_holds(advice: Advice, problems: dict[str, list[str]]) -> None:
    if VERSION not in advice.tested_on:
        pytest.skip(f"holds on torch {versions(advice.tested_on)}")
    assert problems[advice.id] == []


@pytest.mark.parametrize("advice", ALL, ids=lambda advice: advice.id)
def test_the_kinds_are_torchs(advice: Advice, registry: dict[str, str]) -> None:
    """Ids and words belong together, in the torch that has them."""
    known = [kind for kind in advice.kinds if kind.gb_id in registry]
    assert known
    assert [registry[kind.gb_id] for kind in known] == [k.gb_type for k in known]
