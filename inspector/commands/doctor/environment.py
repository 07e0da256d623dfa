"""Gathers the facts of a diagnosis: packages of an interpreter, programs on the PATH, the GPU."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from inspector.commands.doctor import probe
from inspector.commands.doctor.script import Ownership, find_inspect
from inspector.errors import UsageError

PROBE_TIMEOUT_S = 60
PROGRAM_TIMEOUT_S = 15


@dataclass(frozen=True, slots=True)
class Environment:
    """What there is, before it is judged.

    Attributes:
        python: Version of the interpreter that models run in.
        executable: Path of that interpreter.
        chosen: Whether ``--python`` named it.
        platform: Its ``sys.platform``.
        machine: Its processor architecture.
        packages: Version by package; None where it is not installed, empty where it tells none.
        torch_build: ``CPU``, ``CUDA 13.0``, ``ROCm 7.0``; None without torch.
        triton_tools: NVIDIA's programs that come with Triton.
        compiler: Path of a C++ compiler, or None.
        gpus: A line for each NVIDIA GPU: name, driver, compute capability.
        ncu: Path of Nsight Compute, or None.
        dot: Path of Graphviz' dot, or None.
        inspect: The ``inspect`` on the PATH.
        matplotlib: Its version beside this package, which draws with it, or None.
    """

    python: str
    executable: str
    chosen: bool
    platform: str
    machine: str
    packages: dict[str, str | None]
    torch_build: str | None
    triton_tools: tuple[str, ...]
    compiler: str | None
    gpus: tuple[str, ...]
    ncu: str | None
    dot: str | None
    inspect: Ownership
    matplotlib: str | None = None


def look_around(interpreter: str | None) -> Environment:
    """Gathers all facts.

    Args:
        interpreter: The Python whose packages count; None for the one that runs this.

    Raises:
        UsageError: The interpreter cannot be run.
    """
    found = _probe_other(interpreter) if interpreter else probe.probe()
    return Environment(
        python=found["python"],
        executable=found["executable"],
        chosen=interpreter is not None,
        platform=found["platform"],
        machine=found["machine"],
        packages=found["packages"],
        torch_build=found["torch_build"],
        triton_tools=tuple(found["triton_tools"]),
        compiler=_compiler(),
        gpus=_gpus(),
        ncu=shutil.which("ncu"),
        dot=shutil.which("dot"),
        inspect=find_inspect(),
        matplotlib=_version_here("matplotlib"),
    )


def _version_here(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _probe_other(interpreter: str) -> dict[str, Any]:
    path = shutil.which(Path(interpreter).expanduser())
    if path is None:
        raise UsageError(
            f"There is no program {interpreter!r}.", "Give --python the path of an interpreter."
        )
    source = Path(probe.__file__).read_text(encoding="utf-8")
    try:
        done = subprocess.run(
            [path, "-c", source], capture_output=True, timeout=PROBE_TIMEOUT_S, check=True
        )
        found: dict[str, Any] = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise UsageError(
            f"{interpreter!r} does not run as a Python interpreter ({type(error).__name__}).",
            f"Try {interpreter} --version.",
        ) from error
    return found


def _compiler() -> str | None:
    """Looks where Inductor looks: ``CXX``, else g++ (clang++ on macOS, cl on Windows)."""
    usual = {"darwin": "clang++", "win32": "cl"}.get(sys.platform, "g++")
    names = (os.environ.get("CXX"), usual, "g++", "clang++")
    return next((path for name in names if name and (path := shutil.which(name))), None)


def _gpus() -> tuple[str, ...]:
    """Asks nvidia-smi; without it, or when it fails, there is no usable GPU."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ()
    query = [program, "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"]
    try:
        done = subprocess.run(
            query, capture_output=True, timeout=PROGRAM_TIMEOUT_S, check=True, text=True
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(_gpu(line) for line in done.stdout.splitlines() if line.strip())


def _gpu(line: str) -> str:
    fields = [field.strip() for field in line.split(",")]
    labels = ("", "driver ", "compute capability ")
    return ", ".join(label + field for label, field in zip(labels, fields, strict=False))
