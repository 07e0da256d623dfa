"""The environment of processes that are timed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_LEFT_OUT = {"INSPECTOR_RECORD", "TORCHINDUCTOR_FORCE_DISABLE_CACHES"}


def with_caches(given: Mapping[str, str], caches: Path) -> dict[str, str]:
    """An environment whose caches are in a folder, and are used."""
    ours = {
        "TORCHINDUCTOR_CACHE_DIR": str(caches),
        "TRITON_CACHE_DIR": str(caches / "triton"),  # of the program's own kernels
    }
    return {name: value for name, value in {**given, **ours}.items() if name not in _LEFT_OUT}


def pinned(given: Mapping[str, str]) -> dict[str, str]:
    """An environment in which an operator's threads stay where they are.

    They do not share a core by chance then. A user's environment may say otherwise, and nothing is
    changed in that case. ``INSPECTOR_PINS`` says that the other variable is not the user's: it is
    for this process, and not for those that it starts (`inspector.capture.benching.cores`).
    """
    if "OMP_PROC_BIND" in given:
        return dict(given)
    return {**given, "OMP_PROC_BIND": "true", "INSPECTOR_PINS": "1"}


def cores() -> int:
    """How many cores this process may use."""
    is_linux = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if is_linux else os.cpu_count() or 1
