"""The kernels of a model, for a GPU that need not be here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]


def kernels_for(gpu: str, model: Path, folder: Path) -> dict[str, Any]:
    """The JSON of ``inspect kernels``."""
    done = subprocess.run(
        [
            *INSPECT, "kernels", str(model), "--gpu", gpu,
            "--no-grad", "--no-progress", "--format", "json",
        ],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
