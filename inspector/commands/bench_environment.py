"""The environment of processes that are timed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["PINNED", "with_caches"]

PINNED: Mapping[str, str] = {"OMP_PROC_BIND": "true"}
"""An operator's threads stay where they are, so that they do not share a core by chance.

It goes before the user's environment, which may say otherwise.
"""
_LEFT_OUT = {"INSPECTOR_RECORD", "TORCHINDUCTOR_FORCE_DISABLE_CACHES"}


def with_caches(given: Mapping[str, str], caches: Path) -> dict[str, str]:
    """An environment whose caches are in a folder, and are used."""
    ours = {
        "TORCHINDUCTOR_CACHE_DIR": str(caches),
        "TRITON_CACHE_DIR": str(caches / "triton"),  # of the program's own kernels
    }
    return {name: value for name, value in {**given, **ours}.items() if name not in _LEFT_OUT}
