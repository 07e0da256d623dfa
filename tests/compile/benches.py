"""How the tests of `inspect bench` run it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
PIECES = """
import os
import torch
from torch import nn

# What compiles beside this process loads torch, which would bind all of it to one core.
assert "OMP_PROC_BIND" not in os.environ
assert not hasattr(os, "sched_getaffinity") or (
    os.sched_getaffinity(0) == os.sched_getaffinity(os.getppid())
)

model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 4))
example_inputs = (torch.randn(16, 8),)
"""


def bench(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs it in a folder, for a terminal of 80 columns."""
    return subprocess.run(
        [*INSPECT, "bench", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )


def schema(name: str) -> Any:
    """A schema of a report."""
    return json.loads((ROOT / "docs" / "schema" / f"{name}-1.schema.json").read_text("utf-8"))
