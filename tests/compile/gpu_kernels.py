"""``inspect`` in a folder, and the kernels of a model for a GPU that need not be here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]


def inspected(
    folder: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs ``inspect``, whatever comes of it."""
    return subprocess.run(
        [*INSPECT, *arguments], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip


def kernels_for(gpu: str, model: Path, folder: Path, *arguments: str) -> dict[str, Any]:
    """The JSON of ``inspect kernels``; without gradients unless there are other arguments."""
    options = ("--gpu", gpu, "--no-progress", "--format", "json", *(arguments or ("--no-grad",)))
    done = inspected(folder, "kernels", str(model), *options)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
