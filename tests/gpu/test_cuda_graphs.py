"""CUDA graphs as they are captured here: the scenarios, recorded and counted anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cuda_graph_cases import CASES

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = "tests/gpu/cuda_graphs/scenarios.py"
PYTHONPATH = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
MODEL = """
import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64))
example_inputs = (torch.randn(8, 64),)
"""


def inspect(
    *arguments: str, folder: Path = ROOT, caches: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command.

    Programs get caches of their own: which tensors have a static address is in no key of the FX
    graph cache, so that one program would find the code of another.
    """
    own = {} if caches is None else {"TORCHINDUCTOR_CACHE_DIR": str(caches)}
    return subprocess.run(
        [sys.executable, "-m", "inspector.cli", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, **own},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", CASES)
def test_a_program_is_counted(name: str, tmp_path: Path) -> None:
    recording = str(tmp_path / "recording")
    command = ("run", "--no-measure", "--save", recording, SCENARIOS, name)
    ran = inspect(*command, caches=tmp_path / "caches")
    done = inspect("guards", recording, "--cudagraphs", "--format", "json")
    assert done.returncode == 0, (ran.stderr, done.stderr)
    report = json.loads(done.stdout)
    case = CASES[name]

    assert (report["calls"], report["replays"], report["captures"]) == (
        case.calls, case.replays, case.captures
    )  # fmt: skip
    found = sorted(finding["rule"] for finding in report["findings"])
    assert found == sorted(rule for rule, _, _ in case.findings)


def test_a_model_is_compiled_for_them(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    options = ("--device", "cuda", "--format", "json")
    done = inspect("guards", "model.py", "--cudagraphs", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)

    (function,) = report["functions"]
    assert function["captures"] == 1
    assert function["replays"] == function["calls"] - 2
    assert report["pool_bytes"] > 0
    assert report["recording"]["settings"]["mode"] == "reduce-overhead"
