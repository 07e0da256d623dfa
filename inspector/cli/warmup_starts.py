"""The processes of `inspect bench --warmup`: each start, and the check of the written script."""

import contextlib
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.cli.bench_workers import with_caches
from inspector.cli.progress import BenchProgress
from inspector.records.codec import decode
from inspector.run.sources.worker import Worker
from inspector.shared.warmup import (
    ARTIFACT,
    Loading,
    StartEnd,
    WarmupCheck,
    WarmupPlan,
    WarmupRequest,
)

_READY_SECONDS = 3600.0
_TICK_SECONDS = 0.2
_MOST_SHOWN = 200
_EXIT_COMPILED = 1
_NOTHING_TO_LOAD = "no artifact was written, because nothing cacheable was compiled"
_DOING: Mapping[str, str] = {
    "eager": "eager PyTorch",
    "cold": "cold start",
    "directory": "start with the cache folder",
    "artifact": "start with the artifact",
}


class Starts:
    """Runs all starts, one after the other."""

    def __init__(
        self, folder: Path, scratch: Path, python: str | None, seconds: float | None,
        progress: BenchProgress,
    ) -> None:  # fmt: skip
        """Prepares them."""
        self._folder = folder
        self._scratch = scratch
        self._python = python or sys.executable
        self._seconds = seconds or _READY_SECONDS
        self._progress = progress

    def run(self, plan: WarmupPlan) -> WarmupPlan:
        """All starts; the plan with what came of them."""
        for name in _DOING:
            worker, loaded, is_ready = self._start(plan, name)
            if name == "eager" and worker.error is not None:
                raise worker.error
            if loaded is not None:
                plan = dataclasses.replace(plan, loading=decode(Loading, loaded["loading"]))
            ends = [*plan.ends, StartEnd(name, worker.failure, worker.detail)]
            has_artifact = (self._folder / ARTIFACT).exists()
            if name == "directory" and not has_artifact:
                ends.append(StartEnd("artifact", _NOTHING_TO_LOAD))
            plan = dataclasses.replace(plan, ends=tuple(ends))
            if (name == "eager" and not is_ready) or (name == "directory" and not has_artifact):
                break
        return plan

    def _start(self, plan: WarmupPlan, name: str) -> tuple[Worker, Mapping[str, Any] | None, bool]:
        """One start: its process, what it reported of the model, and whether it made all calls."""
        self._progress.begin(_DOING[name])
        folder = self._scratch / f"start.{name}"
        folder.mkdir()
        # The second start finds what the first one left behind; the others find nothing.
        caches = self._scratch / f"caches.{'cold' if name == 'directory' else name}"
        request = WarmupRequest(name, str(self._folder.absolute()), plan).to_json()
        worker = Worker(
            folder, self._python, request, service_environment(os.environ, caches), verb="warm-up"
        )
        try:
            loaded = worker.wait("loaded", self._seconds, self._progress.tick)
            ready = loaded and worker.wait("ready", self._seconds, self._progress.tick)
        finally:
            worker.end()
            self._keep_logs(folder, f"start-{name}")
        return worker, loaded, ready is not None

    def check(self, script: Path) -> WarmupCheck:
        """Runs the written script with ``--check`` in a fresh process with empty caches.

        The process knows nothing of this package.
        """
        self._progress.begin("running the warm-up plan in a fresh process")
        result = self._scratch / "check.json"
        environment = service_environment(os.environ, self._scratch / "caches.check")
        began_ns = time.time_ns()
        with (self._scratch / "check.txt").open("w+b") as errors:
            process = subprocess.Popen(
                (self._python, str(script.resolve()), "--check", "--json", str(result)),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
            failure = self._wait(process)
            errors.seek(0)
            last = errors.read().decode("utf-8", "replace").strip().split("\n")[-1]
        try:
            fields = json.loads(result.read_text("utf-8"))
        except (OSError, ValueError):
            return WarmupCheck(f"{failure or 'warmup.py failed'}: {last[:_MOST_SHOWN]}")
        ready_ns = max(0, fields.pop("ready_at_ns") - began_ns)
        fields |= {"failure": failure, "ready_ns": ready_ns}
        return decode(WarmupCheck, fields)

    def _wait(self, process: subprocess.Popen[bytes]) -> str:
        """Waits for its end; why it failed, or an empty string."""
        until = time.monotonic() + self._seconds
        try:
            while time.monotonic() < until:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    code = process.wait(_TICK_SECONDS)
                    is_done = code in {0, _EXIT_COMPILED}
                    return "" if is_done else f"it exited with code {code}"
                self._progress.tick()
            return f"it timed out after {self._seconds:g} seconds; see --timeout"
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def _keep_logs(self, folder: Path, name: str) -> None:
        for number, log in enumerate(sorted(folder.glob("*.log"))):
            with contextlib.suppress(OSError):
                shutil.move(log, self._folder / f"{name}-{number}.log")


def service_environment(given: Mapping[str, str], caches: Path) -> dict[str, str]:
    """The user's environment with caches of our own, and nothing that would change what is kept."""
    left_out = {"TORCH_COMPILE_JOB_ID", "TORCH_TRACE"}
    return {k: v for k, v in with_caches(given, caches).items() if k not in left_out}
