"""Writes where the program runs: versions, hardware, folders."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket
import time

from inspector.capture.roots import recorded_roots
from inspector.records.environment import Environment

_PACKAGES = ("torch", "triton", "transformers", "torchvision", "timm", "numpy", "opt_einsum")


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
        facts["gpus"] = [
            {
                "name": item.name,
                "capability": f"{item.major}.{item.minor}",
                "memory_bytes": item.total_memory,
                "multiprocessors": item.multi_processor_count,
            }
            for item in map(torch.cuda.get_device_properties, numbers)
        ]
    return facts
