"""Gathers the facts of a diagnosis: packages of an interpreter, programs on the PATH, the GPU."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from inspector.capture import internals
from inspector.cli.doctor import probe
from inspector.errors import UsageError

_PROBE_TIMEOUT_S = 60
_TORCH_TIMEOUT_S = 120  # importing torch and Inductor, on a cold disk
_PROGRAM_TIMEOUT_S = 15


@dataclass(frozen=True, slots=True)
class Environment:
    """What there is, before it is judged.

    Attributes:
        python: Version of the interpreter that models run in.
        chosen: Whether ``--python`` named it.
        packages: Version by package; None where it is not installed, empty where it tells none.
        torch_build: ``CPU``, ``CUDA 13.0``, ``ROCm 7.0``; None without torch.
        gpus: A line for each NVIDIA GPU: name, driver, compute capability.
    """

    python: str
    executable: str
    chosen: bool
    platform: str
    packages: dict[str, str | None]
    torch_build: str | None
    triton_tools: tuple[str, ...]
    compiler: str | None
    gpus: tuple[str, ...]
    ncu: str | None
    dot: str | None


def look_around(interpreter: str | None) -> Environment:
    """Gathers all facts.

    Args:
        interpreter: The Python whose packages count; None for the one that runs this.
    """
    found = _answer(interpreter, probe) if interpreter else probe.probe()
    return Environment(
        python=found["python"],
        executable=found["executable"],
        chosen=interpreter is not None,
        platform=found["platform"],
        packages=found["packages"],
        torch_build=found["torch_build"],
        triton_tools=tuple(found["triton_tools"]),
        compiler=_compiler(),
        gpus=_gpus(),
        ncu=shutil.which("ncu"),
        dot=shutil.which("dot"),
    )


def missing_names(interpreter: str | None) -> list[str]:
    """The private names of torch and Triton that an interpreter's lack (`internals.USES`)."""
    found: list[str] = _answer(interpreter or sys.executable, internals, _TORCH_TIMEOUT_S)
    return found


def _answer(interpreter: str, module: ModuleType, timeout_s: int = _PROBE_TIMEOUT_S) -> Any:  # noqa: ANN401
    """What a module of ours prints as JSON in another interpreter, which need not have ours."""
    path = shutil.which(Path(interpreter).expanduser())
    if path is None:
        raise UsageError(
            f"Program {interpreter!r} was not found.",
            "Pass the path of an interpreter with --python.",
        )
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    try:
        done = subprocess.run(
            [path, "-c", source], capture_output=True, timeout=timeout_s, check=True
        )
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise UsageError(
            f"{interpreter!r} is not a working Python interpreter ({type(error).__name__}).",
            f"Try {interpreter} --version.",
        ) from error


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
            query, capture_output=True, timeout=_PROGRAM_TIMEOUT_S, check=True, text=True
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(_gpu(line) for line in done.stdout.splitlines() if line.strip())


def _gpu(line: str) -> str:
    fields = [field.strip() for field in line.split(",")]
    labels = ("", "driver ", "compute capability ")
    return ", ".join(label + field for label, field in zip(labels, fields, strict=False))
