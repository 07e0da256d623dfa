"""Runs a written warmup.py in a fresh process with empty caches, and takes down what it did.

The process knows nothing of this package: torch itself writes the trace (``TORCH_TRACE``), which
says what was compiled and why.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspector.commands.warmup_starts import Starts, service_environment
from inspector.errors import EnvironmentLacksError
from inspector.model.warmup import CheckedCall, WarmupCheck

_TICK_SECONDS = 0.2
_MOST_SECONDS = 3600.0
_MOST_SAID = 200
_EXIT_COMPILED = 1


def checked(starts: Starts, script: Path, on_tick: Callable[[], None]) -> WarmupCheck:
    """Runs the script with ``--check``; its trace comes into the recording.

    Args:
        starts: How the starts were run.
        script: The script.
        on_tick: Called a few times a second.

    Raises:
        EnvironmentLacksError: The interpreter cannot be started.
    """
    result, trace = starts.scratch / "check.json", starts.scratch / "trace"
    environment = service_environment(os.environ, starts.scratch / "caches.check")
    python = starts.python or sys.executable
    began_ns = time.time_ns()
    with (starts.scratch / "check.txt").open("w+b") as said:
        try:
            process = subprocess.Popen(
                (python, str(script.resolve()), "--check", "--json", str(result)),
                env={**environment, "TORCH_TRACE": str(trace)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
            )
        except OSError as error:
            message = f"{python} cannot be started ({error.strerror})."
            raise EnvironmentLacksError(message, "Name another one with --python.") from error
        failure = _wait(process, starts.timeout_seconds or _MOST_SECONDS, on_tick)
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").strip().split("\n")
    for number, log in enumerate(sorted(trace.glob("*.log"))):
        with contextlib.suppress(OSError):
            shutil.move(log, starts.folder / f"check-{number}.log")
    if not failure and process.returncode not in {0, _EXIT_COMPILED}:
        failure = f"it ended with exit code {process.returncode}"
    fields: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        fields = json.loads(result.read_text("utf-8"))
    if not fields:
        return WarmupCheck(f"{failure or 'warmup.py failed'}: {lines[-1][:_MOST_SAID]}")
    return _read(fields, began_ns, failure)


def _wait(process: subprocess.Popen[bytes], seconds: float, on_tick: Callable[[], None]) -> str:
    """Waits for its end; why it was ended, or an empty string."""
    until = time.monotonic() + seconds
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_TICK_SECONDS)
            if process.returncode is not None:
                return ""
            on_tick()
            if time.monotonic() > until:
                return f"it was ended after {seconds:g} seconds; see --timeout"
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _read(fields: Mapping[str, Any], began_ns: int, failure: str) -> WarmupCheck:
    return WarmupCheck(
        failure=failure,
        load_ns=max(0, int(fields.get("model_at_ns", began_ns)) - began_ns),
        artifact_ns=int(fields.get("artifact_ns", 0)),
        loaded=bool(fields["loaded"]),
        calls=tuple(CheckedCall(**call) for call in fields["calls"]),
        later=tuple(CheckedCall(**call) for call in fields["later"]),
        graphs=tuple(CheckedCall(**call) for call in fields["graphs"]),
        counters=fields.get("counters", {}),
    )
