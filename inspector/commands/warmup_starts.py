"""Runs the starts of `inspect bench --warmup`, each in a process; then they take turns."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.commands.bench_progress import BenchProgress
from inspector.commands.bench_workers import pinned, with_caches
from inspector.model.bench import WorkerRequest
from inspector.model.request import Request
from inspector.model.warmup import Loading, StartEnd, WarmupPlan, WarmupRequest
from inspector.sources.warmup_file import ARTIFACT
from inspector.sources.worker import Worker

_READY_SECONDS = 3600.0
_BLOCK_SECONDS = 60.0
_ROUNDS = 8
_MORE = "more.bin"
_ALL_SECONDS = 12.0
_LEAST_ROUNDS = 4
_LEAST_CALLS = 2
_MOST_CALLS = 300
_NOTHING_TO_LOAD = "there is no artifact: nothing was compiled that can be cached"
_SAID: Mapping[str, str] = {
    "eager": "eager PyTorch",
    "cold": "starts cold",
    "directory": "starts with the cache directory",
    "artifact": "starts with the artifact",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Starts:
    """How they are run.

    Attributes:
        plan: What is started.
        folder: The recording.
        scratch: A folder for caches and logs of processes that are at work.
        python: The interpreter, or None for this one.
        timeout_seconds: How long a process may take until it is ready, or None.
    """

    plan: WarmupPlan
    folder: Path
    scratch: Path
    python: str | None
    timeout_seconds: float | None


def run_starts(starts: Starts, progress: BenchProgress) -> WarmupPlan:
    """Runs all starts; the plan that came of them, and the artifact in the recording.

    Raises:
        InspectorError: Eager PyTorch fails: nothing else would do better.
    """
    one = _Starts(starts, progress)
    try:
        return one.run()
    finally:
        one.end()


class _Starts:
    def __init__(self, starts: Starts, progress: BenchProgress) -> None:
        self._starts = starts
        self._progress = progress
        self._workers: dict[str, Worker] = {}
        self._ready: dict[str, Mapping[str, Any]] = {}
        self._loading: Loading | None = None
        self._seconds = starts.timeout_seconds or _READY_SECONDS

    def run(self) -> WarmupPlan:
        """All starts, then blocks of calls, then the search for the plan."""
        plan = self._starts.plan
        self._begin("eager")
        cold = self._begin("cold") if "eager" in self._ready else None
        if cold is not None:
            self._begin("directory")
            if cold["saved"]:
                self._begin_with_artifact()
        self._take_turns()
        found = self._plan()
        ends = [StartEnd(name, item.failure, item.detail) for name, item in self._workers.items()]
        if cold is not None and not cold["saved"]:
            ends.append(StartEnd("artifact", _NOTHING_TO_LOAD))
        without = [] if cold is None else [n for n, frames in enumerate(cold["compiled"]) if frames]
        return dataclasses.replace(
            plan,
            loading=self._loading,
            calls=tuple(found["calls"]) if found else tuple(without),
            calls_without=tuple(without),
            trials=int(found["trials"]) if found else 0,
            ends=tuple(ends),
        )

    def end(self) -> None:
        """Ends what is still at work, and keeps the logs."""
        for name, worker in self._workers.items():
            if worker.is_alive:
                worker.end()
            for log in sorted(worker.folder.glob("*.log")):
                with contextlib.suppress(OSError):
                    shutil.move(log, self._starts.folder / f"start-{name}.{log.name}")

    def _begin_with_artifact(self) -> None:
        """Twice, where the profile of sizes makes torch compile what the cold start did not.

        Sizes 4 and 1, say, are two static graphs in a cold start; with a profile that says that the
        size changes, the one for 4 is dynamic. What such a start saves has that one.
        """
        ready = self._begin("artifact")
        more = self._starts.folder / _MORE
        if ready is not None and ready["missed"] and ready["saved"]:
            more.replace(self._starts.folder / ARTIFACT)
            self._workers.pop("artifact").end()
            del self._ready["artifact"]
            self._begin("artifact", again=True)
        more.unlink(missing_ok=True)

    def _begin(self, name: str, *, again: bool = False) -> Mapping[str, Any] | None:
        self._progress.begin(_SAID[name], counts=not again)
        own = f"{name}.again" if again else name
        folder = self._starts.scratch / f"start.{own}"
        folder.mkdir()
        # The second start finds what the first one left behind; the others find nothing.
        caches = self._starts.scratch / f"caches.{'cold' if name == 'directory' else own}"
        worker = Worker(
            folder,
            self._starts.python or sys.executable,
            self._request(name).to_json(),
            pinned(service_environment(os.environ, caches)),
            verb="warm-up",
        )
        self._workers[name] = worker
        loaded = worker.wait("loaded", self._seconds, self._progress.tick)
        ready = worker.wait("ready", self._seconds, self._progress.tick) if loaded else None
        if ready is None and name == "eager" and worker.error is not None:
            raise worker.error
        if loaded is not None:
            self._loading = Loading.from_fields(loaded["loading"])
        if ready is not None:
            self._ready[name] = ready
        return ready

    def _request(self, name: str) -> WarmupRequest:
        plan = self._starts.plan
        artifact = str(self._starts.folder / ARTIFACT)
        request = Request(
            plan.target,
            inputs=plan.texts,
            device=plan.device,
            dtype=plan.workload.dtype,
            backend=plan.setting.backend,
            mode=plan.setting.mode,
            dynamic=plan.setting.dynamic,
            fullgraph=plan.setting.fullgraph,
            no_grad=not plan.is_grad,
            measure=False,
            command="bench",
        )
        return WarmupRequest(
            start=name,
            worker=WorkerRequest(
                request=request,
                workload=plan.workload,
                compiles_optimizer=False,
                eager=name == "eager",
                combination=0,
                session=0,
                variations=plan.variations,
            ),
            job=plan.job,
            batches=plan.batches,
            artifact=artifact if name == "artifact" else None,
            save={"cold": artifact, "artifact": str(self._starts.folder / _MORE)}.get(name),
        )

    def _take_turns(self) -> None:
        """Blocks of calls with each input in turn, so that what the machine does meets all."""
        calls_ns = {name: ready["call_ns"] for name, ready in self._ready.items()}
        turns = [(name, index) for name, times in calls_ns.items() for index in range(len(times))]
        least_ns = (_LEAST_CALLS + 1) * sum(map(sum, calls_ns.values()))
        rounds = max(_LEAST_ROUNDS, min(_ROUNDS, int(_ALL_SECONDS * 1e9 / max(1, least_ns))))
        block_ns = _ALL_SECONDS * 1e9 / (rounds * max(1, len(turns)))
        chosen = random.Random(0)  # noqa: S311 - an order, and no secret
        for number in range(rounds if len(calls_ns) > 1 else 0):
            self._progress.begin(f"round {number + 1} of {rounds}", counts=False)
            for name, index in chosen.sample(turns, len(turns)):
                call_ns = max(1, int(calls_ns[name][index]))
                calls = max(_LEAST_CALLS, min(_MOST_CALLS, int(block_ns / call_ns)))
                self._block(self._workers[name], number, index, (calls, call_ns))

    def _block(self, worker: Worker, number: int, index: int, planned: tuple[int, int]) -> None:
        calls, call_ns = planned
        if worker.failure:
            return
        worker.tell({"do": "block", "round": number, "input": index, "calls": calls})
        seconds = _BLOCK_SECONDS + 20 * calls * call_ns / 1e9
        worker.wait("done", seconds, self._progress.tick)

    def _plan(self) -> Mapping[str, Any] | None:
        """Looks for a shorter plan where the artifact is loaded; None where there is none."""
        worker = self._workers.get("artifact")
        if worker is None or not worker.is_alive or "artifact" not in self._ready:
            return None
        self._progress.begin("looks for what can be left out of the plan", counts=False)
        worker.tell({"do": "plan"})
        return worker.wait("planned", self._seconds, self._progress.tick)


def service_environment(given: Mapping[str, str], caches: Path) -> dict[str, str]:
    """The user's environment with caches of our own, and nothing that would change what is kept."""
    left_out = {"TORCH_COMPILE_JOB_ID", "TORCH_TRACE"}
    return {k: v for k, v in with_caches(given, caches).items() if k not in left_out}
