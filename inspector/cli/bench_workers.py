"""Starts the processes of `inspect bench`: what each is asked for, and in which environment."""

import dataclasses
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from inspector.run.sources.worker import Worker
from inspector.shared.bench import BenchPlan, WorkerRequest
from inspector.shared.cores import usable_cores
from inspector.shared.out_of_memory import lacks_memory
from inspector.shared.request import Request

_CORES_TO_LOAD_AHEAD = 8
_REFERENCE_PART = 4  # of the time that a process may take until it is ready
_LEAST_REFERENCE_SECONDS = 60.0
_FLOAT64 = "f64"
_LEFT_OUT = {"INSPECTOR_RECORD", "TORCHINDUCTOR_FORCE_DISABLE_CACHES"}


@dataclasses.dataclass(frozen=True, slots=True)
class Bench:
    """How it is run."""

    plan: BenchPlan
    request: Request  # what all combinations have in common
    folder: Path
    scratch: Path  # for caches, results and logs of running processes
    python: str | None
    ready_seconds: float
    left_out_on_cpu: frozenset[str] = frozenset()  # modes that change nothing there


def started(bench: Bench, number: int, session: int) -> Worker:
    """A process for a combination; in its first session more is found out."""
    if not session:  # of an earlier attempt nothing may be left
        for log in bench.folder.glob(f"worker-0.{number}.*"):
            log.unlink(missing_ok=True)
        shutil.rmtree(bench.scratch / f"caches.{number}", ignore_errors=True)
    return _start(bench, _request(bench, number, session), f"{session}.{number}")


def started_reference(bench: Bench, number: int) -> Worker:
    """A process for what eager PyTorch gives in float64, with the workload of a combination."""
    request = _request(bench, number, 0)
    asked = dataclasses.replace(
        request,
        workload=dataclasses.replace(request.workload, autocast=None),
        eager=True,
        outputs=_outputs(bench, number, _FLOAT64),
        references={},
        measures_memory=False,
        is_reference=True,
    )
    return _start(bench, asked, f"reference.{number}")


def _request(bench: Bench, number: int, session: int) -> WorkerRequest:
    combination = bench.plan.combinations[number]
    workload, setting = combination.workload, combination.setting
    eager = bench.plan.numbers(workload)[0]
    references: dict[str, str] = {}
    outputs = None
    backends: tuple[str, ...] = ()
    if not session:
        references["float64"] = _outputs(bench, eager, _FLOAT64)
        if setting.is_eager:
            outputs = _outputs(bench, number, "eager")
            named = (item.setting.backend for item in bench.plan.combinations)
            backends = tuple(dict.fromkeys(filter(None, named)))
        else:
            references["eager"] = _outputs(bench, eager, "eager")
    return WorkerRequest(
        request=dataclasses.replace(
            bench.request,
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
        variations=bench.plan.variations,
        session_seconds=bench.plan.session_seconds,
        backends=backends,
    )


def _outputs(bench: Bench, number: int, name: str) -> str:
    folder = bench.scratch / f"outputs.{number}.{name}"
    folder.mkdir(exist_ok=True)
    return str(folder)


def _start(bench: Bench, asked: WorkerRequest, name: str) -> Worker:
    folder = bench.scratch / f"worker.{name}"
    shutil.rmtree(folder, ignore_errors=True)  # of one that is tried again
    folder.mkdir()
    # Empty in the first session, filled by it in the others.
    kind = "reference" if asked.is_reference else str(asked.combination)
    environment = with_caches(pinned(os.environ), bench.scratch / f"caches.{kind}")
    return Worker(folder, bench.python or sys.executable, asked.to_json(), environment)


def with_caches(given: Mapping[str, str], caches: Path) -> dict[str, str]:
    """An environment whose caches are in a folder, and are used."""
    ours = {
        "TORCHINDUCTOR_CACHE_DIR": str(caches),
        "TRITON_CACHE_DIR": str(caches / "triton"),  # of the program's own kernels
    }
    return {name: value for name, value in {**given, **ours}.items() if name not in _LEFT_OUT}


def pinned(given: Mapping[str, str]) -> dict[str, str]:
    """An environment in which an operator's threads are pinned, unless the user sets the variable.

    ``INSPECTOR_PINS`` says that it is ours, and not for the processes that the worker starts
    (`inspector.capture.bench.process`).
    """
    if "OMP_PROC_BIND" in given:
        return dict(given)
    return {**given, "OMP_PROC_BIND": "true", "INSPECTOR_PINS": "1"}


class Starts:
    """Begins processes and waits for them."""

    def __init__(self, bench: Bench, tick: Callable[[], None]) -> None:
        self._bench = bench
        self._tick = tick
        self._ahead: dict[int, Worker] = {}

    def start_ahead(self, numbers: Iterable[int], start: Callable[[int], Worker]) -> None:
        """Lets processes load what they need side by side, where there are cores for that.

        They compile one after the other: how long that takes is measured.
        """
        if usable_cores() >= _CORES_TO_LOAD_AHEAD:
            for number in numbers:
                self._ahead[number] = start(number)

    def taken(self, number: int) -> Worker | None:
        """The process of a combination that loads already, if there is one."""
        return self._ahead.pop(number, None)

    def end_ahead(self) -> bool:
        """Ends processes that have only loaded what they need; whether there were any."""
        ahead, self._ahead = self._ahead, {}
        for worker in ahead.values():
            worker.end()
        return bool(ahead)

    def reference(self, number: int) -> None:
        """Runs eager PyTorch in float64 for its results; it may fail, or take too long.

        Raises:
            InspectorError: It is the very first, and the target, or what it needs, is missing.
        """
        limit = self._bench.ready_seconds
        calls = min(limit, max(_LEAST_REFERENCE_SECONDS, limit / _REFERENCE_PART))
        worker, is_loaded, _ = self.until_ready(
            lambda: started_reference(self._bench, number), calls
        )
        worker.end()
        if worker.error is not None and not is_loaded and not number:
            raise worker.error

    def until_ready(
        self, start: Callable[[], Worker], seconds: float | None = None
    ) -> tuple[Worker, bool, Mapping[str, Any] | None]:
        """A process, whether it has loaded, and what it reports when it is ready.

        Where memory lacks, those that load ahead give way.

        Args:
            seconds: Limit of its calls, where that is less than for others.
        """
        worker = start()
        is_loaded, ready = self._wait(worker, seconds)
        if lacks_memory(worker.failure) and self.end_ahead():
            worker.end()
            worker = start()
            is_loaded, ready = self._wait(worker, seconds)
        return worker, is_loaded, ready

    def _wait(self, worker: Worker, seconds: float | None) -> tuple[bool, Mapping[str, Any] | None]:
        limit = self._bench.ready_seconds
        try:
            if worker.wait("loaded", limit, self._tick) is None:
                return False, None
            worker.tell({"do": "begin"})
            return True, worker.wait("ready", limit if seconds is None else seconds, self._tick)
        except BaseException:  # Ctrl-C
            worker.end()
            raise
