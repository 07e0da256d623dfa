"""Calls of a profile whose memory the allocator keeps, on a CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from inspector.capture.profiling.faults import fresh_page
from inspector.model.fresh_memory import FEW_PAGES, is_by_chance
from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "profile-1.schema.json").read_text("utf-8"))
# 33 MiB are mapped anew in each call, of the one kind and of the other: glibc gives back at once
# what is larger than 32 MiB. Nothing is compiled.
MODEL = """
import torch

def model(x):
    return torch.full((33 << 20,), 1, dtype=torch.uint8)[:1] + x

example_inputs = (torch.ones(1),)
"""


def test_calls_are_timed_without_new_memory(tmp_path: Path, machine: Path) -> None:
    if not fresh_page() or any(name.startswith("MALLOC_") for name in os.environ):
        pytest.skip("this machine's allocator keeps memory")
    (tmp_path / "model.py").write_text(MODEL)
    done = subprocess.run(
        [*INSPECT, "profile", "model.py", "--no-grad", "--backend", "eager", "--format", "json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(machine)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    (profile,) = report["profiles"]
    kept = profile["memory_kept"]
    # To fill the same memory once more is faster than to be given it by the system.
    assert 0 < kept["wall_ns"] < profile["wall_ns"]
    assert 0 < kept["eager_ns"] < profile["eager_ns"]
    low, high = kept["faster_than_eager_interval"]
    assert low <= kept["faster_than_eager"] <= high
    assert kept["is_chance"] is False  # each call maps its block, in whatever process
    (gain,) = (each for each in profile["gains"] if "fresh from the system" in each["because"])
    assert gain["at_most_ns"] == pytest.approx(profile["wall_ns"] - kept["wall_ns"])


# Three blocks that the heap has room for: what lies on top of it is given back behind each call.
ON_THE_HEAP = """
import torch
from inspector.capture.profiling.faults import keep_freed
from inspector.capture.profiling.kept_memory import pages_of_a_call

def call():
    kept = [torch.full((28 << 20,), 1, dtype=torch.uint8) for _ in range(3)]

before = pages_of_a_call(lambda: call)
assert keep_freed()
print(before, pages_of_a_call(lambda: call))
"""


def test_what_lies_on_top_of_the_heap_is_not_counted_as_mapped() -> None:
    if not fresh_page() or any(name.startswith("MALLOC_") for name in os.environ):
        pytest.skip("this machine's allocator keeps memory")
    done = subprocess.run(
        [sys.executable, "-c", ON_THE_HEAP],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    before, mapped = map(int, done.stdout.split())
    assert is_by_chance(1, before, mapped, each_ns=1)
    assert mapped < FEW_PAGES
