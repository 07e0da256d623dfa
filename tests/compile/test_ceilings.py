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
# once; of each question a line says where figures are kept, and which interpreter measures.
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
own = sys.executable
for line in sys.stdin:
    asked = json.loads(line)
    os.environ["XDG_CACHE_HOME"] = asked["caches"]
    sys.executable = asked["interpreter"] or own
    found = ceilings(fresh=asked["fresh"])
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

    def measured(
        self, folder: Path, interpreter: str = "", *, fresh: bool = False
    ) -> dict[str, Any]:
        """What it says the machine can do."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"caches": str(folder / "cache"), "interpreter": interpreter, "fresh": fresh}
        self._process.stdin.write(json.dumps(asked) + "\n")
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


def program(folder: Path, text: str) -> str:
    """An interpreter that is none."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_everything_is_measured_or_has_a_reason(first: tuple[Path, dict[str, Any]]) -> None:
    _, found = first
    assert set(found["ceilings"]) | set(found["missing"]) == NAMES
    assert {"copy_bytes_per_s", "float32_flops_per_s"} <= set(found["ceilings"])
    assert found["ceilings"]["copy_bytes_per_s"] > 1e8
    assert set(found["unstable"]) <= set(found["ceilings"])
    assert found["facts"]["threads"] == 1
    assert found["device"] == "cpu"
    assert not found["cached"]


def test_nothing_of_it_is_in_the_programs_trace(first: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = first
    logs = list((folder / "trace").glob("*.log"))
    assert len(logs) <= 1


def test_it_is_kept_and_a_damaged_file_is_measured_again(
    asked: Program, first: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder, found = first
    if found["missing"]:
        pytest.skip("this machine has not all of it")
    nobody = program(tmp_path, "exit 9")
    again = asked.measured(folder, nobody)
    assert again.pop("cached")
    assert again == {name: value for name, value in found.items() if name != "cached"}
    (file,) = (folder / "cache" / "torch-inspector").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:100])
    failed = asked.measured(folder, nobody)
    assert failed["ceilings"] == {}
    assert set(failed["missing"].values()) == {"the measuring process exited with code 9"}
    assert file.read_bytes() == whole[:100], "what is not whole is not kept"
