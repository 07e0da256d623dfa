"""Compiled kernels by content: one folder each, the oldest deleted where there are too many."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch
import triton

from inspector.capture.kernel_builds.tools import find_ptxas, version_of_ptxas

FORMAT = 4
"""Changes when the same source gives another result here."""

_RESULT = "build.json"
_NEW = "new_"
_UNLIKE = ("TRITON_CACHE_DIR", "TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH")


@functools.cache
def versions(capability: int) -> dict[str, str]:
    """Version by name of what compiles."""
    find_ptxas()
    return {
        "torch": str(torch.__version__),
        "triton": str(triton.__version__),
        "ptxas": version_of_ptxas(capability),
    }


class Store:
    """A folder of compiled kernels; one that cannot be written is replaced by a temporary one."""

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            folder = Path(tempfile.mkdtemp(prefix="inspector_kernels_"))
        self.folder = folder

    def key(self, source: str, name: str, capability: int) -> str:
        """A hash of a source and of everything that compiles it."""
        settings = {
            variable: value
            for variable, value in os.environ.items()
            if variable.startswith("TRITON_") and variable not in _UNLIKE
        }
        parts = [FORMAT, source, name, capability, versions(capability), settings]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    def load(self, key: str) -> dict[str, Any] | None:
        """What was compiled before, or None."""
        file = self.folder / key / _RESULT
        try:
            payload = json.loads(file.read_text(encoding="utf-8"))
            os.utime(file.parent)
        except (OSError, ValueError):
            return None
        return payload if isinstance(payload, dict) else None

    def begin(self, key: str) -> Path:
        """Where the texts of a kernel go that is being compiled; who compiles makes the folder."""
        return self.folder / f"{_NEW}{key}_{os.getpid()}"

    def keep(self, key: str, texts: Path, payload: dict[str, Any]) -> Path:
        """Keeps a result, and gives the folder of its texts; another process may be faster."""
        texts.mkdir(exist_ok=True)
        (texts / _RESULT).write_text(json.dumps(payload), encoding="utf-8")
        kept = self.folder / key
        try:
            texts.rename(kept)
        except OSError:
            if not (kept / _RESULT).exists():
                return texts
            shutil.rmtree(texts, ignore_errors=True)
        return kept

    def trim(self) -> None:
        """Deletes what was not used for longest, down to the limit."""
        entries = []
        for folder in self.folder.iterdir():
            with contextlib.suppress(OSError):
                size = sum(file.stat().st_size for file in folder.iterdir())
                entries.append((folder.stat().st_mtime, size, folder))
        total = sum(size for _, size, _ in entries)
        for _, size, folder in sorted(entries):
            if total > self._limit_bytes:
                shutil.rmtree(folder, ignore_errors=True)
                total -= size
