"""Keeps what was measured: one file for a machine, in the user's cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from inspector.records.ceilings import Ceilings
from inspector.records.codec import decode, encode

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

CPU_NAMES = ("copy_bytes_per_s", "float32_flops_per_s", "bfloat16_flops_per_s")
"""Of a CPU."""
_BUSY_PERCENT = 10
_DAY_S = 24 * 60 * 60
_MOST_DAYS = 30
_UNSTABLE_S = 60 * 60
_BUSY_S = 5 * 60


def cache_file(parts: Sequence[str]) -> Path:
    """Where the figures of a machine are, in ``$XDG_CACHE_HOME/torch-inspector`` (``~/.cache``)."""
    key = hashlib.sha256(repr([VERSION, *parts]).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "torch-inspector" / f"ceilings-{key}.json"


def cached(file: Path) -> Ceilings | None:
    """What was measured before, or None: never, too long ago, or the file is damaged."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("v") != VERSION:
        return None
    before = decode(Ceilings, found, is_cached=True)
    if not before.values or not all(rate > 0 for rate in before.values.values()):
        return None
    age_s = time.time() - before.measured_at_s
    # What was measured while others were at work is too low.
    is_busy = before.facts.get(OTHERS, 0) > _BUSY_PERCENT
    most_s = _BUSY_S if is_busy else _UNSTABLE_S if before.unstable else _MOST_DAYS * _DAY_S
    return before if -_DAY_S < age_s < most_s else None


def store(file: Path, found: Ceilings) -> None:
    """Writes the file in one go: another process reads all of it, or what was there before."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=file.parent, prefix=f".{file.stem}-", delete=False
        ) as new:
            new.write(json.dumps({"v": VERSION, **encode(found)}))
        try:
            Path(new.name).replace(file)
        except OSError:
            Path(new.name).unlink(missing_ok=True)
