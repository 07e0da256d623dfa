"""Torch's profiler, without the Python objects that it makes of events."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from torch._C._profiler import _ExperimentalConfig
from torch.autograd import _disable_profiler, _enable_profiler, _prepare_profiler, profiler

_LOG_LEVEL = "KINETO_LOG_LEVEL"
_SILENT = "99"


@dataclasses.dataclass(frozen=True, slots=True)
class HostEvent:
    """Something that a thread of the program did.

    Attributes:
        kind: ``cpu_op``, ``user_annotation``, ``cuda_runtime`` or ``cuda_driver``.
        start_ns: As `time.time_ns`.
        correlation: What the event on the device that it launched has, too; or 0.
        sequence: Of an operator, what it has in common with autograd's node of it; or -1.
    """

    kind: str
    name: str
    thread: int
    start_ns: int
    end_ns: int
    correlation: int = 0
    sequence: int = -1


class Session:
    """One profile, from `start` to `stop`; of all threads, if it is not of memory.

    It does what `torch.profiler.profile` does without building Python objects of the events, which
    takes 50 µs each, and without waiting for the device.

    Without the host, torch's Python code is not told that a profiler is there: else it would make
    the marks that nobody reads, and Inductor would gather what each Triton kernel is launched with
    (`get_profiler_kwargs` in torch/_inductor/runtime/triton_heuristics.py), which takes longer than
    the launch.

    Args:
        with_device: The device is seen, and calls of CUDA.
        with_host: Operators and marks are.
        with_memory: What is allocated and freed is, by this thread and those that autograd runs for
            it (`c10::reportMemoryUsageToProfiler` looks for the thread's own profiler).
    """

    def __init__(
        self, *, with_device: bool, with_host: bool = True, with_memory: bool = False
    ) -> None:
        self._profile = profiler.profile(
            use_cpu=with_host,
            use_kineto=True,
            use_device="cuda" if with_device else None,
            profile_memory=with_memory,
            experimental_config=_ExperimentalConfig(profile_all_threads=not with_memory),
        )
        self._with_host = with_host
        self._results: Any = None

    def start(self) -> None:
        """Begins. The process's first profile must begin on the thread that imported torch."""
        activities = self._profile.kineto_activities
        config = self._profile.config(create_trace_id=True)
        with _silent():
            _prepare_profiler(config, activities)
            if self._with_host:
                profiler._run_on_profiler_start()  # noqa: SLF001 - torch's code marks more then
            _enable_profiler(config, activities)

    def stop(self) -> None:
        """Ends."""
        if self._with_host:
            profiler._run_on_profiler_stop()  # noqa: SLF001
        self._results = _disable_profiler()

    def fields(self) -> Mapping[str, Any]:
        """The trace that libkineto writes for Chrome; `stop` has to be called before."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace.json"
            self._results.save(str(file))
            fields: Mapping[str, Any] = json.loads(file.read_bytes())
            return fields


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Torch 2.13 would say on standard error, which belongs to the program, that it begins."""
    before = os.environ.get(_LOG_LEVEL)
    os.environ.setdefault(_LOG_LEVEL, _SILENT)  # read once, by the first profile of all
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_LOG_LEVEL, None)
