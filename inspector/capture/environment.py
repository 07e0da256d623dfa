"""Writes where the program runs: versions, hardware, folders."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket

from inspector.capture.roots import recorded_roots
from inspector.capture.writer import write_artifact

__all__ = ["write_environment"]

_PACKAGES = ("torch", "triton", "transformers", "torchvision", "timm", "numpy")


def write_environment(project: str) -> None:
    """Writes ``inspector_environment``.

    Args:
        project: The folder that shown paths are relative to.
    """
    roots = recorded_roots()
    write_artifact(
        "environment",
        {
            "v": 1,
            "versions": _versions(),
            "hardware": _hardware(),
            "roots": {
                "project": project,
                "torch": roots.torch,
                "stdlib": roots.stdlib,
                "site": list(roots.site),
                "own": roots.own,
            },
            "host": socket.gethostname(),
        },
    )


def _versions() -> dict[str, str]:
    import torch

    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions | {"torch": str(torch.__version__)}


def _hardware() -> dict[str, object]:
    import torch

    gpus = []
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            gpus.append(
                {
                    "name": properties.name,
                    "capability": f"{properties.major}.{properties.minor}",
                    "memory_bytes": properties.total_memory,
                    "multiprocessors": properties.multi_processor_count,
                }
            )
    return {
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "gpus": gpus,
    }
