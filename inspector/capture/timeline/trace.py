"""What torch's profiler saw, read from the trace that it writes for Chrome.

The events that torch gives to Python lack grids, registers and bytes; its trace has them, in the
same form in 2.11 to 2.13 (libkineto's ``output_json.cpp``).
"""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import functools
import json
import os
import tempfile
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch._C._profiler import _ExperimentalConfig
from torch.autograd import _disable_profiler, _enable_profiler, _prepare_profiler, profiler

from inspector.records.device_profile import DeviceLaunch, LaunchPlace

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


_HOST = ("cpu_op", "user_annotation", "cuda_runtime", "cuda_driver")
_LAUNCHES = ("cuda_runtime", "cuda_driver")
_REPLAY = "GraphLaunch"
_NOWHERE = LaunchPlace()
_OURS = "inspector "
"""What all names of marks begin with."""
_AS_THEY_ARE = " !#$&'()*+,-./:;<=>?@[]^_`{|}~"
_DEVICE = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}


@functools.lru_cache(maxsize=4096)  # a call has the same again and again
def mark_name(text: str) -> str:
    """The name of a mark: the text, with what cannot be in it as in an address (``%C3%B6``).

    Libkineto drops what is not ASCII, and knows nothing of quotes and backslashes in a name: a
    model in ``/home/jörg`` would have no lines.
    """
    return urllib.parse.quote(text, _AS_THEY_ARE, errors="surrogatepass")


def marked_text(name: str) -> str:
    """The text of a mark, by its name in the trace; all other names as they are."""
    return urllib.parse.unquote(name, errors="surrogatepass") if name.startswith(_OURS) else name


@dataclasses.dataclass(slots=True)
class Launched:
    """Something that the device did; `calls_of` finds out where it comes from.

    Attributes:
        start_ns: Since the epoch, as `time.time_ns`.
        end_ns: Likewise.
        correlation: As `HostEvent.correlation`; all that one CUDA graph launches has the same.
        by: The call of CUDA that launched it, or None where it was not seen.
    """

    launch: DeviceLaunch
    start_ns: int = 0
    end_ns: int = 0
    correlation: int = 0
    by: HostEvent | None = None
    place: LaunchPlace = _NOWHERE

    @property
    def is_replayed(self) -> bool:
        """Whether a CUDA graph launched it."""
        return self.by is not None and _REPLAY in self.by.name

    @property
    def order(self) -> tuple[int, int, int, int]:
        """Sorts what a call launches by when it was launched.

        When it begins differs from call to call where there are several streams.
        """
        at_ns = self.by.start_ns if self.by is not None else self.start_ns
        return at_ns, self.launch.device, self.launch.stream, self.start_ns


class Trace:
    """The events, on one clock."""

    def __init__(self, host: Sequence[HostEvent], device: Sequence[Launched]) -> None:
        self.host = sorted(host, key=lambda event: (event.start_ns, -event.end_ns))
        self.device = sorted(device, key=lambda event: (event.start_ns, event.end_ns))
        launches = {
            event.correlation: event
            for event in self.host
            if event.correlation and event.kind in _LAUNCHES
        }
        for item in self.device:
            item.by = launches.get(item.correlation)
        self._threads: dict[int, list[HostEvent]] = {}
        for event in self.host:
            self._threads.setdefault(event.thread, []).append(event)
        self._starts = {
            thread: [event.start_ns for event in events] for thread, events in self._threads.items()
        }
        self._parents = {thread: _parents(events) for thread, events in self._threads.items()}

    def around(self, event: HostEvent) -> list[HostEvent]:
        """What was going on when an event of a thread happened, the outermost first."""
        events, parents = self._threads[event.thread], self._parents[event.thread]
        place = bisect.bisect_left(self._starts[event.thread], event.start_ns)
        while events[place] is not event:
            place += 1
        found = []
        above = parents[place]
        while above >= 0:
            found.append(events[above])
            above = parents[above]
        return found[::-1]

    def holds(self, event: HostEvent, prefix: str) -> bool:
        """Whether another event, of a name that begins so, lies within one on its thread."""
        events, starts = self._threads[event.thread], self._starts[event.thread]
        first = bisect.bisect_left(starts, event.start_ns)
        last = bisect.bisect_right(starts, event.end_ns)
        return any(
            events[place].name.startswith(prefix) and events[place] is not event
            for place in range(first, last)
            if events[place].end_ns <= event.end_ns
        )


def _parents(events: Sequence[HostEvent]) -> list[int]:
    """The place of the innermost event that encloses each, or -1."""
    found: list[int] = []
    stack: list[int] = []
    for place, event in enumerate(events):
        while stack and events[stack[-1]].end_ns < event.end_ns:
            stack.pop()
        found.append(stack[-1] if stack else -1)
        stack.append(place)
    return found


class Traced:
    """A trace that is there once the block is left."""

    def __init__(self) -> None:
        self.trace = Trace((), ())


@contextlib.contextmanager
def traced(*, with_device: bool, with_host: bool = True) -> Iterator[Traced]:
    """Profiles what is done while it is entered; all threads are seen.

    Args:
        with_device: Whether the device is seen, and calls of CUDA.
        with_host: Whether operators and marks are.
    """
    session = Session(with_device=with_device, with_host=with_host)
    found = Traced()
    session.start()
    try:
        yield found
    except BaseException:
        # What failed is what counts; of what was seen until then, what can be read is kept.
        with contextlib.suppress(Exception):
            found.trace = _stopped(session)
        raise
    found.trace = _stopped(session)


def _stopped(session: Session) -> Trace:
    session.stop()
    return read_trace(session.fields())


def read_trace(fields: Mapping[str, Any]) -> Trace:
    """Reads a trace of libkineto's."""
    base_ns = int(fields.get("baseTimeNanoseconds") or 0)
    host, device = [], []
    for event in fields.get("traceEvents", ()):
        if event.get("ph") != "X":
            continue
        kind = event.get("cat")
        if kind in _HOST:
            host.append(_host(kind, event, base_ns))
        elif kind in _DEVICE:
            device.append(_device(_DEVICE[kind], event, base_ns))
    return Trace(host, device)


def _host(kind: str, event: Mapping[str, Any], base_ns: int) -> HostEvent:
    start_ns, end_ns = _span(event, base_ns)
    found = event.get("args", {})
    return HostEvent(
        kind,
        marked_text(str(event["name"])),
        int(event["tid"]),
        start_ns,
        end_ns,
        int(found.get("correlation") or 0),
        int(found.get("Sequence number", -1)),
    )


def _device(kind: str, event: Mapping[str, Any], base_ns: int) -> Launched:
    found = event.get("args", {})
    launch = DeviceLaunch(
        kind=kind,
        name=str(event["name"]),
        stream=int(found.get("stream") or 0),
        grid=tuple(map(int, found.get("grid") or ())),
        block=tuple(map(int, found.get("block") or ())),
        registers=found.get("registers per thread"),
        shared_bytes=found.get("shared memory"),
        copied_bytes=found.get("bytes"),
        # A copy from one device to another names three (libkineto's CuptiActivity.cpp).
        device=int(found.get("device") or found.get("inDevice") or 0),
    )
    return Launched(launch, *_span(event, base_ns), int(found.get("correlation") or 0))


def _span(event: Mapping[str, Any], base_ns: int) -> tuple[int, int]:
    """The trace has microseconds with three decimals, since a moment that it names."""
    start_ns = base_ns + round(float(event["ts"]) * 1e3)
    return start_ns, start_ns + round(float(event.get("dur") or 0) * 1e3)
