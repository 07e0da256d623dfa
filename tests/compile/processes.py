"""What the tests of recorded programs share: starting them, and reading what they left."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from inspector import __version__
from inspector.run.sources.recording import opened, read_run
from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
AUTOLOAD = ROOT / "inspector" / "capture" / "autoload"
# Breaks once in every process that calls it.
MODEL = """
import torch
def model(x):
    print("inside", flush=True)
    return x + 1
def call():
    torch.compile(model, backend="eager")(torch.ones(2))
"""


def environment(*paths: Path, **added: str) -> dict[str, str]:
    """Ours, with folders on the path, and nothing else of torch-inspector's."""
    ours = ("INSPECTOR_", "TORCH_LOGS", "TORCH_TRACE", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    # torchrun stands beside the interpreter, whose environment need not be active.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    pythonpath = os.pathsep.join(map(str, paths))
    return {**kept, "PATH": path, "PYTHONPATH": pythonpath, "NO_COLOR": "1", **added}


def finished(command: list[str], folder: Path, **given: Any) -> subprocess.CompletedProcess[str]:
    given.setdefault("env", environment(ROOT))
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False, **given
    )


def inspected(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    done = finished([*INSPECT, *arguments], folder)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def report(recording: Path) -> dict[str, Any]:
    done = inspected("explain", str(recording), "--format", "json", folder=recording.parent)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def run_of(recording: Path) -> Any:
    with opened(recording) as found:
        return read_run(found)


def installed(folder: Path) -> Path:
    """A folder that makes this checkout look installed: its entry points, as pip writes them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    place = folder / f"torch_inspector-{__version__}.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {__version__}\n"
    )
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in points.items())])
        for group, points in project["entry-points"].items()
    ]
    (place / "entry_points.txt").write_text("\n".join(groups) + "\n")
    return folder
