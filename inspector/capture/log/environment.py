"""Writes where the program runs: versions, hardware, folders."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from inspector.capture.roots import recorded_roots
from inspector.records.environment import Environment

_BLACKWELL = 10  # compute capability, the major number
_PACKAGES = ("torch", "triton", "transformers", "torchvision", "timm", "numpy", "opt_einsum")
_PTXAS_SECONDS = 5
_RELEASE = re.compile(r"release (\d+\.\d+), V(\S+)")


def environment(project: str, *, asks_for_gpus: bool) -> Environment:
    """Where this process runs.

    Args:
        asks_for_gpus: Whether CUDA may be initialised to name the GPUs. In somebody's program it
            may not: that takes memory on a GPU, and a process that forks afterwards cannot use any.
    """
    roots = recorded_roots()
    import torch

    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return Environment(
        versions=versions | {"torch": str(torch.__version__)},
        hardware=_hardware(asks_for_gpus=asks_for_gpus),
        roots={
            "project": project,
            "torch": roots.torch,
            "stdlib": roots.stdlib,
            "site": list(roots.site),
            "own": roots.own,
        },
        host=socket.gethostname(),
        rank=rank(),
        parent_pid=os.getppid(),
        time_ns=time.time_ns(),
    )


def rank() -> int | None:
    """This process's rank where a launcher says it; also before the process group is made."""
    text = os.environ.get("RANK", "")
    in_a_job = os.environ.get("WORLD_SIZE", "").isdecimal()
    return int(text) if in_a_job and text.isascii() and text.isdecimal() else None


def _hardware(*, asks_for_gpus: bool) -> dict[str, object]:
    import torch

    facts: dict[str, object] = {
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
    }
    if not torch.backends.cuda.is_built():
        return {**facts, "gpus": []}
    if asks_for_gpus or torch.cuda.is_initialized():
        numbers = range(torch.cuda.device_count() if torch.cuda.is_available() else 0)
        gpus = list(map(torch.cuda.get_device_properties, numbers))
        # Triton has another ptxas from Blackwell on, which both take.
        is_asked = any(gpu.major < _BLACKWELL for gpu in gpus)
        ptxas = {"ptxas": differing_ptxas()} if is_asked else {}
        facts["gpus"] = [
            {
                "name": item.name,
                "capability": f"{item.major}.{item.minor}",
                "memory_bytes": item.total_memory,
                "multiprocessors": item.multi_processor_count,
            }
            for item in gpus
        ]
        return {**facts, **ptxas}
    return facts


def differing_ptxas() -> Mapping[str, str]:
    """Versions of torch's own ptxas and of Triton's; empty where one of them is all that is used.

    Inductor's processes that compile take torch's (``_set_triton_ptxas_path``, compile_tasks.py of
    torch 2.11 to 2.13), and the process that times choices takes Triton's. A key of Triton's cache
    has the version in it: where the two differ, each choice is compiled twice.
    """
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
            [str(file), "--version"],
            capture_output=True,
            text=True,
            timeout=_PTXAS_SECONDS,
            check=False,
        ).stdout
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    found = _RELEASE.search(said)
    return found[2] if found else ""
