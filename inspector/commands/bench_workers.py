"""Starts the processes of `inspect bench`: what each is asked for, and in which environment."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from inspector.model.bench import BenchPlan, WorkerRequest
from inspector.model.request import Request
from inspector.sources.worker import Worker

_FLOAT64 = "f64"
_LEFT_OUT = {"INSPECTOR_RECORD", "TORCHINDUCTOR_FORCE_DISABLE_CACHES"}


@dataclasses.dataclass(frozen=True, slots=True)
class Bench:
    """How it is run.

    Attributes:
        plan: What is compared.
        request: The target, its inputs, and what all combinations have in common.
        folder: The recording.
        scratch: A folder for caches, results and logs of processes that are at work.
        python: The interpreter, or None for this one.
        ready_seconds: How long a process may take until it is ready.
        left_out_on_cpu: Modes that nobody asked for, and that change nothing there.
    """

    plan: BenchPlan
    request: Request
    folder: Path
    scratch: Path
    python: str | None
    ready_seconds: float
    left_out_on_cpu: frozenset[str] = frozenset()


def forget(bench: Bench, number: int, session: int) -> None:
    """Throws away what a combination has done in a session, its caches too: it is begun anew."""
    for log in bench.folder.glob(f"worker-{session}.{number}.*"):
        log.unlink(missing_ok=True)
    shutil.rmtree(bench.scratch / f"caches.{number}", ignore_errors=True)


def started(bench: Bench, number: int, session: int, *, is_first: bool) -> Worker:
    """A process for a combination.

    Args:
        bench: How it is run.
        number: The combination.
        session: The session.
        is_first: Whether it is the combination's first one, of which more is found out.
    """
    request = _request(bench, number, session, is_first=is_first)
    return _start(bench, request, f"{session}.{number}")


def started_reference(bench: Bench, number: int) -> Worker:
    """A process for what eager PyTorch gives in float64, with the workload of a combination."""
    request = _request(bench, number, 0, is_first=True)
    asked = dataclasses.replace(
        request,
        workload=dataclasses.replace(request.workload, autocast=None),
        eager=True,
        outputs=str(_made(_outputs(bench, number, _FLOAT64))),
        references={},
        measures_memory=False,
        is_reference=True,
    )
    return _start(bench, asked, f"reference.{number}")


def _request(bench: Bench, number: int, session: int, *, is_first: bool) -> WorkerRequest:
    combination = bench.plan.combinations[number]
    workload, setting = combination.workload, combination.setting
    eager = bench.plan.numbers(workload)[0]
    references: dict[str, str] = {}
    outputs = None
    backends: tuple[str, ...] = ()
    if is_first:
        references["float64"] = str(_made(_outputs(bench, eager, _FLOAT64)))
        if setting.is_eager:
            outputs = str(_made(_outputs(bench, number, "eager")))
            named = (item.setting.backend for item in bench.plan.combinations)
            backends = tuple(dict.fromkeys(filter(None, named)))
        else:
            references["eager"] = str(_made(_outputs(bench, eager, "eager")))
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
        measures_memory=is_first,
        cold_cache=bench.plan.cold_cache,
        variations=bench.plan.variations,
        pads=setting.pads,
        session_seconds=bench.plan.session_seconds,
        backends=backends,
    )


def _outputs(bench: Bench, number: int, name: str) -> Path:
    return bench.scratch / f"outputs.{number}.{name}"


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def _start(bench: Bench, asked: WorkerRequest, name: str) -> Worker:
    folder = bench.scratch / f"worker.{name}"
    shutil.rmtree(folder, ignore_errors=True)  # of one that is tried again
    folder.mkdir()
    # Empty in the first session, filled by it in the others.
    caches = bench.scratch / f"caches.{asked.combination}"
    if asked.is_reference:
        caches = bench.scratch / "caches.reference"
    environment = with_caches(pinned(os.environ), caches)
    return Worker(folder, bench.python or sys.executable, asked.to_json(), environment)


def with_caches(given: Mapping[str, str], caches: Path) -> dict[str, str]:
    """An environment whose caches are in a folder, and are used."""
    ours = {
        "TORCHINDUCTOR_CACHE_DIR": str(caches),
        "TRITON_CACHE_DIR": str(caches / "triton"),  # of the program's own kernels
    }
    return {name: value for name, value in {**given, **ours}.items() if name not in _LEFT_OUT}


def pinned(given: Mapping[str, str]) -> dict[str, str]:
    """An environment in which an operator's threads stay where they are.

    They do not share a core by chance then. A user's environment may say otherwise, and nothing is
    changed in that case. ``INSPECTOR_PINS`` says that the other variable is not the user's: it is
    for this process, and not for those that it starts (`inspector.capture.benching.cores`).
    """
    if "OMP_PROC_BIND" in given:
        return dict(given)
    return {**given, "OMP_PROC_BIND": "true", "INSPECTOR_PINS": "1"}


def cores() -> int:
    """How many cores this process may use."""
    is_linux = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if is_linux else os.cpu_count() or 1
