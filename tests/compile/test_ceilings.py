"""What the CPU can do, measured for real, whatever the program has set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# A program that has set what would change the figures, or break the measuring. Torch is imported
# once; a line says where figures are kept.
PROGRAM = """
import json, os, sys, torch
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.set_default_device("meta")
torch.backends.fp32_precision = "tf32"
torch.use_deterministic_algorithms(True)
from inspector.capture.profiling.ceilings import ceilings
from inspector.records.codec import encode
EMPTY = {"missing": {}, "unstable": {}, "cached": False}
for line in sys.stdin:
    os.environ["XDG_CACHE_HOME"] = line.strip()
    found = ceilings()
    print(json.dumps({"v": 2, **EMPTY, **encode(found)}), flush=True)
"""
NAMES = {"copy_bytes_per_s", "float32_flops_per_s", "bfloat16_flops_per_s"}


class Program:
    """The program, whose folder has its trace.

    Args:
        folder: Where it runs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "TORCH_TRACE": str(folder / "trace"),
                "NVIDIA_TF32_OVERRIDE": "0",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measured(self, folder: Path) -> dict[str, Any]:
        """What it says the machine can do."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{folder / 'cache'}\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def end(self) -> None:
        """Lets it come to its end."""
        self._process.communicate()
        assert self._process.returncode == 0


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    found = Program(tmp_path_factory.mktemp("ceilings"))
    yield found
    found.end()


@pytest.fixture(scope="module")
def first(asked: Program) -> tuple[Path, dict[str, Any]]:
    return asked.folder, asked.measured(asked.folder)


def test_everything_is_measured_or_has_a_reason(first: tuple[Path, dict[str, Any]]) -> None:
    _, found = first
    assert set(found["ceilings"]) | set(found["missing"]) == NAMES
    assert {"copy_bytes_per_s", "float32_flops_per_s"} <= set(found["ceilings"])
    assert found["ceilings"]["copy_bytes_per_s"] > 1e8
    assert set(found["unstable"]) <= set(found["ceilings"])
    assert found["device"] == "cpu"
    assert not found["cached"]


def test_nothing_of_it_is_in_the_programs_trace(first: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = first
    logs = list((folder / "trace").glob("*.log"))
    assert len(logs) <= 1


def test_it_is_kept_and_a_damaged_file_is_measured_again(
    asked: Program, first: tuple[Path, dict[str, Any]]
) -> None:
    folder, found = first
    if found["missing"]:
        pytest.skip("this machine has not all of it")
    again = asked.measured(folder)
    assert again.pop("cached")
    assert again == {name: value for name, value in found.items() if name != "cached"}
    (file,) = (folder / "cache" / "torch-inspector").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:100])
    assert not asked.measured(folder)["cached"]
    assert len(file.read_bytes()) > 100
