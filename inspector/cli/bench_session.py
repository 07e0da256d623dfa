"""The sessions of `inspect bench`: processes that are ready together, and take turns."""

import contextlib
import dataclasses
import random
import shutil
from collections.abc import Iterator, Sequence

from inspector.cli.bench_workers import Bench, Starts, started
from inspector.cli.progress import BenchProgress
from inspector.features.bench.rows import NOT_TRIED
from inspector.run.sources.worker import Worker
from inspector.shared.bench import WorkerEnd
from inspector.shared.out_of_memory import lacks_memory

_ROUNDS = 16
_LEAST_ROUNDS = 4
_BLOCKS = 48  # of three settings in sixteen rounds
_MOST_CALLS = 300
_LEAST_CALLS = 2
_BLOCK_MOST_SECONDS = 300.0
_SAME_ON_CPU = "same as default on the CPU (name it with --modes to measure it)"
_SEED = 0  # of the order


def run_bench(bench: Bench, progress: BenchProgress) -> Iterator[WorkerEnd]:
    """Runs all sessions of all workloads; yields how each process ended."""
    chosen = random.Random(_SEED)  # noqa: S311 - an order, and no secret
    for workload in bench.plan.workloads:
        yield from _workload(bench, bench.plan.numbers(workload), progress, chosen)


def _workload(
    bench: Bench, numbers: Sequence[int], progress: BenchProgress, chosen: random.Random
) -> Iterator[WorkerEnd]:
    """Sessions in which all take turns; one after the other if memory lacks in the first one."""
    left, is_apart = list(numbers), False
    for session in range(bench.plan.sessions):
        order = list(left)
        chosen.shuffle(order)
        order.sort(key=lambda number: number != numbers[0])  # others need what eager PyTorch gives
        ends: list[WorkerEnd] = []
        if not is_apart:
            ends += _Session(bench, session, progress, chosen).run(order)
            lacks = any(lacks_memory(end.failure) for end in ends)
            is_apart = lacks and not session and len(order) > 1
        if is_apart:
            ends = []
            for number in order:
                ends += _Session(bench, session, progress, chosen).run([number])
        yield from (dataclasses.replace(end, is_alone=is_apart) for end in ends)
        failed = {end.combination for end in ends if end.failure}
        left = [number for number in left if number not in failed]
        if not left:
            return


class _Session:
    """One process for each combination of a workload, or for one of them."""

    def __init__(
        self, bench: Bench, session: int, progress: BenchProgress, chosen: random.Random
    ) -> None:
        self.bench = bench
        self.session = session
        self._progress = progress
        self._chosen = chosen
        self._starts = Starts(bench, progress.tick)
        self._workers: dict[int, Worker] = {}
        self._call_ns: dict[int, Sequence[int]] = {}
        self._device = ""
        self._restores: set[int] = set()
        self._eager_failed = False
        self._block_ns = bench.plan.session_seconds * 1e9 / _BLOCKS

    def run(self, order: Sequence[int]) -> Iterator[WorkerEnd]:
        """Makes all processes ready, and lets them take turns.

        Raises:
            InspectorError: The target, or what it needs, is missing.
        """
        left_out: dict[int, str] = {}
        try:
            left_out = self._make_ready(order)
            if self._call_ns:
                self._rounds()
                self._look_at_gpu()
        finally:
            self._starts.end_ahead()
            for number, worker in self._workers.items():
                worker.end()
                name = f"{self.session}.{number}"
                for log in sorted(worker.folder.glob("*.log")):
                    with contextlib.suppress(OSError):
                        shutil.move(log, self.bench.folder / f"worker-{name}.{log.name}")
        for number, why in left_out.items():
            yield WorkerEnd(number, self.session, why, is_left_out=why == _SAME_ON_CPU)
        for number, worker in self._workers.items():
            yield WorkerEnd(number, self.session, worker.failure, worker.detail)

    def _make_ready(self, order: Sequence[int]) -> dict[int, str]:
        """Makes all processes ready; those that are not begun at all, with the reason."""
        left_out: dict[int, str] = {}
        # Perhaps: whether there is a GPU is not known yet.
        ahead = [number for number in order if not self._is_left_out(number)]
        self._starts.start_ahead(ahead, self._started)
        is_with_eager = self.bench.plan.combinations[order[0]].setting.is_eager
        if is_with_eager and not self.session:
            self._progress.begin("eager in float64")
            self._starts.reference(order[0])
        for number in order:
            if self._device == "cpu" and self._is_left_out(number):
                left_out[number] = _SAME_ON_CPU
            elif self._eager_failed:
                left_out[number] = NOT_TRIED
            else:
                self.begin(number)
        self._starts.end_ahead()
        return left_out

    def _is_left_out(self, number: int) -> bool:
        return self.bench.plan.combinations[number].setting.mode in self.bench.left_out_on_cpu

    def begin(self, number: int) -> None:
        """Makes the process of a combination ready."""
        plan = self.bench.plan
        setting = plan.combinations[number].setting
        doing = "starting" if self.session else "compiling"
        self._progress.begin(f"{setting.label}: {doing}")

        def start() -> Worker:
            self._workers[number] = self._starts.taken(number) or self._started(number)
            return self._workers[number]

        worker, is_loaded, ready = self._starts.until_ready(start)
        if ready is None and setting.is_eager and not self.session:
            self._eager_failed = True
            # Of a later workload what was measured before is worth more.
            is_only = len(plan.workloads) == 1
            ends_all = not number and (not is_loaded or is_only)
            if worker.error is not None and ends_all and not lacks_memory(worker.failure):
                raise worker.error
        if ready is not None:
            self._device = self._device or str(ready["device"])
            self._call_ns[number] = ready["call_ns"]
            # Where one has to put everything back before each call, all do.
            self._restores.update(ready["restores"])

    def _started(self, number: int) -> Worker:
        return started(self.bench, number, self.session)

    def _rounds(self) -> None:
        alive = list(self._call_ns)
        one_round_ns = sum(
            max(self._block_ns, (_LEAST_CALLS + 1) * time_ns)
            for times in self._call_ns.values()
            for time_ns in times
        )
        affordable = int(_BLOCKS * self._block_ns / one_round_ns)
        # How many rounds of all of them there is time for.
        rounds = max(_LEAST_ROUNDS, min(_ROUNDS, affordable))
        for number in range(rounds):
            self._progress.begin(f"round {number + 1} of {rounds}", counts=False)
            self._chosen.shuffle(alive)
            for index in range(len(self._call_ns[alive[0]])):
                for at in alive:
                    self.block(at, number, index)

    def block(self, number: int, round_: int, index: int) -> None:
        """Lets a combination make a round's calls with an input."""
        worker = self._workers[number]
        if worker.failure:
            return
        call_ns = self._call_ns[number][index]
        calls = max(_LEAST_CALLS, min(_MOST_CALLS, int(self._block_ns / call_ns)))
        asked = {"round": round_, "input": index, "calls": calls}
        worker.tell({"do": "block", **asked, "restores": index in self._restores})
        seconds = _BLOCK_MOST_SECONDS + 10 * calls * call_ns / 1e9
        worker.wait("done", seconds, self._progress.tick)

    def _look_at_gpu(self) -> None:
        """For how long of a call a GPU works; what fails here is no failure of the timings."""
        if self._device != "cpu" and self.session == self.bench.plan.sessions - 1:
            for number in self._call_ns:
                label = self.bench.plan.combinations[number].setting.label
                self._progress.begin(f"{label}: GPU busy time", counts=False)
                worker = self._workers[number]
                if worker.is_alive:
                    worker.tell({"do": "busy"})
                    seconds = _BLOCK_MOST_SECONDS + 100 * sum(self._call_ns[number]) / 1e9
                    worker.wait("done", seconds, self._progress.tick)
                    worker.failure = worker.detail = ""
