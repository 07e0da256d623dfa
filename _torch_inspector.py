"""What ``import torch`` calls where torch-inspector is installed.

It stands beside the package, not in it: a program's own folder comes first on the path, and a file
inspector.py there must not break ``import torch``.
"""

import contextlib
import os
import runpy
from pathlib import Path

__all__ = ["begin"]


def begin() -> None:
    """Begins to record this process where ``INSPECTOR_RECORD`` names a recording."""
    if not os.environ.get("INSPECTOR_RECORD"):
        return
    here = Path(__file__).resolve().parent / "inspector" / "capture" / "autoload"
    with contextlib.suppress(Exception):  # a half-removed package: `import torch` goes on
        runpy.run_path(str(here / "_torch_inspector_recorder.py"))["begin"]()
