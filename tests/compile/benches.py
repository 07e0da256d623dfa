"""How the tests of `inspect bench` run it."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

from inspector import cli as commands
from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
# What is enough to see that something is measured.
SHORT = ("--sessions", "1", "--seconds", "0.1")
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


def read_again(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs it in a folder and in this process, where no model is to be run."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, {"COLUMNS": "80"}),
        mock.patch.object(sys, "argv", ["inspect", "bench", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = commands.main()
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
