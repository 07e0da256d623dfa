"""Keeps what was measured: one file for a machine, in the user's cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

OTHERS = "others_percent"
"""Among the facts: for how much of the time others were at work on the GPU."""
VERSION = 2
_DTYPES = ("float32", "tf32", "bfloat16", "float16", "float8", "int8")

GPU_NAMES = (
    "copy_bytes_per_s",
    "host_to_device_bytes_per_s",
    *(f"{dtype}_flops_per_s" for dtype in _DTYPES),
    "kernel_floor_ns",
    "l2_bytes_per_s",
)
"""Of a GPU. Those that need CUPTI come last: its callbacks make every launch after them slower."""

CPU_NAMES = (
    "copy_bytes_per_s",
    "float32_flops_per_s",
    "bfloat16_flops_per_s",
)
"""Of a CPU."""
_BUSY_PERCENT = 10
_DAY_S = 24 * 60 * 60
_MOST_DAYS = 30
_UNSTABLE_S = 60 * 60
_BUSY_S = 5 * 60


def kept_file(parts: Sequence[str]) -> Path:
    """Where the figures of a machine are, in ``$XDG_CACHE_HOME/torch-inspector`` (``~/.cache``)."""
    key = hashlib.sha256(repr([VERSION, *parts]).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "torch-inspector" / f"ceilings-{key}.json"


def kept(file: Path) -> Mapping[str, Any] | None:
    """What was measured before, or None: never, too long ago, or the file is damaged."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    is_whole = (
        isinstance(found, dict)
        and found.get("v") == VERSION
        and isinstance(found.get("measured_at_s"), int)
        and all(
            isinstance(found.get(name), dict)
            for name in ("ceilings", "unstable", "missing", "state", "facts")
        )
        and all(_is_rate(value) for value in found["ceilings"].values())
    )
    if not is_whole:
        return None
    age_s = time.time() - found["measured_at_s"]
    return found if -_DAY_S < age_s < _most_s(found) else None


def _most_s(found: Mapping[str, Any]) -> float:
    """How long it counts: what was measured while others were at work is too low."""
    others = found["facts"].get(OTHERS)
    if isinstance(others, int) and others > _BUSY_PERCENT:
        return _BUSY_S
    return _UNSTABLE_S if found["unstable"] else _MOST_DAYS * _DAY_S


def _is_rate(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def keep(file: Path, fields: Mapping[str, object]) -> None:
    """Writes the file in one go: another process reads all of it, or what was there before."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=file.parent, prefix=f".{file.stem}-", delete=False
        ) as new:
            new.write(json.dumps(fields))
        try:
            Path(new.name).replace(file)
        except OSError:
            Path(new.name).unlink(missing_ok=True)
