"""Runs the processes of `inspect bench`: those of a session are ready together, and take turns."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspector.commands.bench_environment import PINNED, compile_threads, cores, with_caches
from inspector.commands.bench_progress import BenchProgress
from inspector.commands.bench_turns import Turns
from inspector.model.bench import BenchPlan, WorkerEnd, WorkerRequest
from inspector.model.request import Request
from inspector.model.xla_backends import XLA_BACKENDS
from inspector.sources.worker import Worker

__all__ = ["Bench", "Session", "run_bench"]

_ROUNDS = 16
_LEAST_ROUNDS = 4
_SESSION_SECONDS = 12.0
_BLOCK_SECONDS = 0.25
_MOST_CALLS = 300
_LEAST_CALLS = 2
_READY_SECONDS = 3600.0
_CORES_TO_LOAD_AHEAD = 8
_BLOCK_MOST_SECONDS = 300.0
_FLOAT64 = "f64"
_NO_MEMORY = "OutOfMemoryError"
_NOT_TRIED = "not tried, because eager PyTorch fails"
_SAME_ON_CPU = "on the CPU it compiles what the default does; --modes measures it all the same"


@dataclasses.dataclass(frozen=True, slots=True)
class Bench:
    """How it is run.

    Attributes:
        plan: What is compared.
        request: The target, its inputs, and what all combinations have in common.
        folder: The recording.
        scratch: A folder for caches, results and logs of processes that are at work.
        python: The interpreter, or None for this one.
        timeout_seconds: How long a process may take until it is ready, or None.
        seed: Decides the order.
        left_out_on_cpu: Modes that nobody asked for, and that change nothing there.
        turns: Shared with the benches of other models that are run at the same time.
        jobs: How many models load and compile side by side.
    """

    plan: BenchPlan
    request: Request
    folder: Path
    scratch: Path
    python: str | None
    timeout_seconds: float | None
    seed: int
    left_out_on_cpu: frozenset[str] = frozenset()
    turns: Turns = dataclasses.field(default_factory=Turns)
    jobs: int = 1


def run_bench(bench: Bench, progress: BenchProgress) -> Iterator[WorkerEnd]:
    """Runs all sessions of all workloads.

    Yields:
        How each process ended; what it found out is in the recording by then.
    """
    chosen = random.Random(bench.seed)  # noqa: S311 - an order, and no secret
    for workload in bench.plan.workloads:
        numbers = list(bench.plan.numbers(workload))
        failed: set[int] = set()
        for session in range(bench.plan.sessions):
            order = [number for number in numbers if number not in failed]
            chosen.shuffle(order)
            if not session:
                order.sort(key=lambda number: not bench.plan.combinations[number].setting.is_eager)
            one = Session(bench, session, progress, chosen)
            for end in one.run(order):
                if end.failure:  # it would fail again
                    failed.add(end.combination)
                    progress.leave_out(bench.plan.sessions - session - 1)
                yield end


class Session:
    """One process for each combination of a workload.

    Attributes:
        bench: How it is run.
        session: Its number, from 0.
    """

    def __init__(
        self, bench: Bench, session: int, progress: BenchProgress, chosen: random.Random
    ) -> None:
        self.bench = bench
        self.session = session
        self._progress = progress
        self._chosen = chosen
        self._ahead: dict[int, Worker] = {}
        self._workers: dict[int, Worker] = {}
        self._call_ns: dict[int, Sequence[int]] = {}
        self._device = ""
        self._wrong: list[int] = []
        self._eager_failed = False

    def run(self, order: Sequence[int]) -> Iterator[WorkerEnd]:
        """Makes all processes ready, and lets them take turns.

        Yields:
            How each ended.

        Raises:
            InspectorError: The target, or what it needs, is not there: no other process would work.
        """
        left_out: dict[int, str] = {}
        turns = self.bench.turns
        try:
            with turns.beside_others():
                left_out = self._make_ready(order)
            with turns.alone():
                self._rounds()
                self._look_how_busy()
            if self._wrong:
                with turns.beside_others():
                    self._look_for_faults()
        finally:
            for worker in self._ahead.values():
                worker.end()
            for number, worker in self._workers.items():
                if worker.is_alive:
                    worker.end()
                _keep_logs(worker.folder, self.bench.folder, f"{self.session}.{number}")
        for number, why in left_out.items():
            yield WorkerEnd(number, self.session, why, is_left_out=why == _SAME_ON_CPU)
        for number, worker in self._workers.items():
            yield WorkerEnd(number, self.session, worker.failure, worker.detail)

    def _make_ready(self, order: Sequence[int]) -> dict[int, str]:
        """Makes all processes ready; those that are not begun at all, with the reason."""
        left_out: dict[int, str] = {}
        self._start_ahead(order)
        if not self.session:
            self._reference(order[0])
        for number in order:
            if self._device == "cpu" and self._is_left_out(number):
                left_out[number] = _SAME_ON_CPU
            elif self._eager_failed:
                left_out[number] = _NOT_TRIED
            else:
                self.begin(number)
        return left_out

    @property
    def ready(self) -> Sequence[int]:
        """The combinations whose process can be timed."""
        return list(self._call_ns)

    def _tick(self) -> None:
        self.bench.turns.check()
        self._progress.tick()

    def _is_left_out(self, number: int) -> bool:
        return self.bench.plan.combinations[number].setting.mode in self.bench.left_out_on_cpu

    def _start_ahead(self, order: Sequence[int]) -> None:
        """Lets processes load what they need side by side, where there are cores for that.

        They compile one after the other: how long that takes is measured.
        """
        if cores() < _CORES_TO_LOAD_AHEAD:
            return
        for number in order:
            if not self._is_left_out(number):  # perhaps: whether there is a GPU is not known yet
                self._ahead[number] = self._started(number)

    def _started(self, number: int) -> Worker:
        request = _request(self.bench, number, self.session)
        return _start(self.bench, request, f"{self.session}.{number}")

    def _reference(self, number: int) -> None:
        """Eager PyTorch in float64, for its results alone; it may fail."""
        bench = self.bench
        request = _request(bench, number, 0)
        asked = dataclasses.replace(
            request,
            workload=dataclasses.replace(request.workload, autocast=None),
            eager=True,
            outputs=str(_made(_outputs(bench, number, _FLOAT64))),
            references={},
            measures_memory=False,
            is_reference=True,
        )
        self._progress.begin("eager in float64, for its results")
        worker = _start(bench, asked, f"reference.{number}")
        seconds = bench.timeout_seconds or _READY_SECONDS
        try:
            if worker.wait("loaded", seconds, self._tick):
                worker.tell({"do": "begin"})
                worker.wait("ready", seconds, self._tick)
        finally:
            worker.end()

    def begin(self, number: int) -> None:
        """Makes the process of a combination ready."""
        bench = self.bench
        label = bench.plan.combinations[number].setting.label
        self._progress.begin(f"{label}: {'compiles' if not self.session else 'starts again'}")
        worker = self._ahead.pop(number, None) or self._started(number)
        self._workers[number] = worker
        seconds = bench.timeout_seconds or _READY_SECONDS
        is_eager = bench.plan.combinations[number].setting.is_eager
        loaded = worker.wait("loaded", seconds, self._tick)
        if loaded:
            worker.tell({"do": "begin"})
        ready = worker.wait("ready", seconds, self._tick) if loaded else None
        others = sum(other.is_alive for other in self._workers.values())
        if _NO_MEMORY in worker.failure and others:
            worker.failure += (
                f" There was no room for it beside {others} other processes: measure fewer "
                "combinations at once."
            )
        if ready is None and is_eager and not self.session:
            # Of a later workload what was measured before is worth more.
            is_first = not number
            if worker.error is not None and is_first and (loaded is None or self._is_only()):
                raise worker.error
            self._eager_failed = True
        if ready is not None:
            self._wrong += [number] if ready.get("wrong") else []
            self._device = self._device or str(ready["device"])
            self._call_ns[number] = [max(1, int(time_ns)) for time_ns in ready["call_ns"]]

    def _is_only(self) -> bool:
        return len(self.bench.plan.workloads) == 1

    def _rounds(self) -> None:
        alive = list(self._call_ns)
        if not alive:
            return
        one_round_ns = sum(
            max(_BLOCK_SECONDS * 1e9, (_LEAST_CALLS + 1) * time_ns)
            for number in alive
            for time_ns in self._call_ns[number]
        )
        affordable = int(_SESSION_SECONDS * 1e9 / one_round_ns)
        rounds = self.bench.plan.rounds or max(_LEAST_ROUNDS, min(_ROUNDS, affordable))
        for number in range(rounds):
            self._progress.begin(f"round {number + 1} of {rounds}", counts=False)
            self._chosen.shuffle(alive)
            for index in range(max(map(len, self._call_ns.values()))):
                for at in alive:
                    self.block(at, number, index)

    def block(self, number: int, round_: int, index: int) -> None:
        """Lets a combination make a round's calls with an input."""
        worker = self._workers[number]
        times = self._call_ns[number]
        if worker.failure or index >= len(times):
            return
        calls = self.calls(number, index)
        worker.tell({"do": "block", "round": round_, "input": index, "calls": calls})
        seconds = _BLOCK_MOST_SECONDS + 10 * calls * times[index] / 1e9
        worker.wait("done", seconds, self._tick)

    def calls(self, number: int, index: int) -> int:
        """How many calls of a combination with an input make a block."""
        calls = int(_BLOCK_SECONDS * 1e9 / self._call_ns[number][index])
        return max(_LEAST_CALLS, min(_MOST_CALLS, calls))

    def _look_how_busy(self) -> None:
        """For how long of a call a GPU works, where no other model waits for its turn.

        It comes last: a profiler can take its process with it.
        """
        if (
            self.session < self.bench.plan.sessions - 1
            or self._device == "cpu"
            or self.bench.jobs > 1
        ):
            return
        for number in self._call_ns:
            worker = self._workers[number]
            if worker.is_alive:
                label = self.bench.plan.combinations[number].setting.label
                self._progress.begin(f"{label}: how much the GPU works", counts=False)
                worker.tell({"do": "busy"})
                worker.wait("done", _BLOCK_MOST_SECONDS, self._tick)

    def _look_for_faults(self) -> None:
        """Where results are wrong, the operator at which they part from eager ones."""
        for number in self._wrong:
            worker = self._workers[number]
            if worker.is_alive:
                label = self.bench.plan.combinations[number].setting.label
                self._progress.begin(f"{label} is wrong: looks for the operator", counts=False)
                worker.tell({"do": "part"})
                seconds = self.bench.timeout_seconds or _READY_SECONDS
                worker.wait("done", seconds, self._tick)


def _request(bench: Bench, number: int, session: int) -> WorkerRequest:
    combination = bench.plan.combinations[number]
    workload, setting = combination.workload, combination.setting
    eager = bench.plan.numbers(workload)[0]
    references: dict[str, str] = {}
    outputs = None
    if not session:
        references["float64"] = str(_made(_outputs(bench, eager, _FLOAT64)))
        if setting.is_eager:
            outputs = str(_made(_outputs(bench, number, "eager")))
        else:
            references["eager"] = str(_made(_outputs(bench, eager, "eager")))
    return WorkerRequest(
        request=dataclasses.replace(
            bench.request,
            # XLA's own device, whatever eager PyTorch is measured on.
            device=None if setting.backend in XLA_BACKENDS else bench.request.device,
            dtype=workload.dtype,
            train=workload.train,
            backend=setting.backend or "eager",
            mode=setting.mode,
            dynamic=setting.dynamic,
            fullgraph=setting.fullgraph,
        ),
        workload=workload,
        compiles_optimizer=setting.compiles_optimizer,
        eager=setting.is_eager,
        combination=number,
        session=session,
        outputs=outputs,
        references=references,
        measures_memory=not session,
        cold_cache=bench.plan.cold_cache,
        variations=bench.plan.variations,
        pads=setting.pads,
    )


def _outputs(bench: Bench, number: int, name: str) -> Path:
    return bench.scratch / f"outputs.{number}.{name}"


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def _start(bench: Bench, asked: WorkerRequest, name: str) -> Worker:
    folder = bench.scratch / f"worker.{name}"
    folder.mkdir()
    # Empty in the first session, filled by it in the others.
    caches = bench.scratch / f"caches.{asked.combination}"
    if asked.is_reference:
        caches = bench.scratch / "caches.reference"
    given = {**PINNED, **compile_threads(bench.jobs), **os.environ}
    return Worker(
        folder, bench.python or sys.executable, asked.to_json(), with_caches(given, caches)
    )


def _keep_logs(folder: Path, recording: Path, name: str) -> None:
    """Puts the logs of a process that has ended into the recording."""
    for log in sorted(folder.glob("*.log")):
        with contextlib.suppress(OSError):
            shutil.move(log, recording / f"worker-{name}.{log.name}")
