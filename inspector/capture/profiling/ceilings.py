"""What the machine at hand can do, measured: memory, caches, multiplications, launches.

Never a table of names: data sheets say what a chip could do, and drivers, clocks, power limits and
neighbours decide what it does. What was measured is kept in the user's cache, a file for a machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import torch

from inspector.capture.profiling.device import uses_cuda
from inspector.capture.profiling.machine.cpu import Cpu, allowed
from inspector.capture.profiling.machine.device_state import device_state
from inspector.capture.profiling.machine.gpu import Gpu, uuid_of
from inspector.capture.profiling.machine.timing import Unsupported
from inspector.records.ceilings import Ceilings
from inspector.records.codec import decode, encode

VERSION = 5
_BUSY_PERCENT = 10
_DAY_S = 24 * 60 * 60
_MOST_S = 30 * _DAY_S
_UNSURE_S = 60 * 60
_LONGEST_REASON = 160


def ceilings(*, fresh: bool = False) -> Ceilings:
    """What the machine can do; measured once for a device, its driver and torch.

    What was measured before, if that was whole, is kept for 30 days, or for an hour where some of
    it was not stable or others were at work. What could not be measured is there with the reason.
    """
    file = _file()
    before = None if fresh else cached(file)
    if before is not None:
        return before
    found, is_whole = _measured(Gpu() if uses_cuda() else Cpu())
    if is_whole:
        store(file, found)
    return found


def _file() -> Path:
    """Where the figures of a machine are, in ``$XDG_CACHE_HOME/torch-inspector`` (``~/.cache``)."""
    key = hashlib.sha256(repr([VERSION, *_key()]).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "torch-inspector" / f"ceilings-{key}.json"


def _key() -> Iterator[str]:
    yield torch.__version__
    if uses_cuda():
        device = torch.device("cuda")
        found, uuid = torch.cuda.get_device_properties(device), uuid_of(device)
        state, _ = device_state(uuid)
        yield from (found.name, uuid, str(found.multi_processor_count), str(torch.version.cuda))
        yield from (state.get(name, "") for name in ("driver_version", "power.limit"))
    else:
        yield from ("cpu", os.uname().nodename, os.uname().machine)
        yield from (str(torch.get_num_threads()), str(len(allowed())), _processor())


def _processor() -> str:
    """The processor's name as Linux has it; a host's name can move to another machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2] for line in lines if line.startswith("model name")), "")


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
    is_unsure = before.unstable or (before.others_percent or 0) > _BUSY_PERCENT
    return before if -_DAY_S < age_s < (_UNSURE_S if is_unsure else _MOST_S) else None


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


def _measured(machine: Gpu | Cpu) -> tuple[Ceilings, bool]:
    """What was found, and whether another try would give no more of it."""
    at_s, began_ns = int(time.time()), time.monotonic_ns()
    values: dict[str, float] = {}
    unstable: dict[str, float] = {}
    missing: dict[str, str] = {}
    is_whole = True
    for name, measure in machine.measurements.items():
        try:
            found = measure()
            values[name] = found.value
            if not found.is_stable:
                unstable[name] = found.spread
        except Exception as error:  # noqa: BLE001 - what this device, or this torch, does not have
            text = str(error).strip().partition("\n")[0].strip().rstrip(".")
            missing[name] = (text or type(error).__name__)[:_LONGEST_REASON]
            is_whole &= isinstance(error, Unsupported | NotImplementedError | AttributeError)
        if uses_cuda():
            torch.cuda.empty_cache()
    made = Ceilings(
        device=torch.cuda.get_device_name() if uses_cuda() else "cpu",
        measured_at_s=at_s,
        took_ns=time.monotonic_ns() - began_ns,
        values=values,
        unstable=unstable,
        missing=missing,
        others_percent=machine.others_percent,
    )
    return made, is_whole
