"""How the tests of `inspect bench` run it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.compile.warm_python import INSPECT

__all__ = ["ROOT", "bench"]

ROOT = Path(__file__).resolve().parents[2]


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
