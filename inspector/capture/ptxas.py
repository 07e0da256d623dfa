"""The two assemblers of a CUDA build of torch: torch's own, and the one that Triton brings.

Inductor's processes that compile take torch's (``_set_triton_ptxas_path``, compile_tasks.py of
torch 2.11 to 2.13), and the process that times choices takes Triton's. A key of Triton's cache has
the version in it: where the two differ, each choice is compiled twice.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

_SECONDS = 5
_RELEASE = re.compile(r"release (\d+\.\d+), V(\S+)")


def differing_ptxas() -> Mapping[str, str]:
    """The versions by ``torch`` and ``triton``; empty where one of them is all that is used."""
    if os.environ.get("TRITON_PTXAS_PATH"):
        return {}
    files = {
        "torch": _folder("torch") / "bin" / "ptxas",
        "triton": _folder("triton") / "backends" / "nvidia" / "bin" / "ptxas",
    }
    versions = {name: version for name, file in files.items() if (version := _version(file))}
    return versions if len(set(versions.values())) == len(files) else {}


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    return Path(found.origin).parent if found is not None and found.origin else Path("/nowhere")


def _version(file: Path) -> str:
    """What it says of itself; empty where it cannot be asked."""
    if not file.is_file():
        return ""
    try:
        said = subprocess.run(
            [str(file), "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    found = _RELEASE.search(said)
    return found[2] if found else ""
