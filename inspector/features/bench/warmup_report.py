"""The starts of a service, and the plan to warm it up."""

import dataclasses
from collections.abc import Iterator

from inspector.features.compile_time.cold_start import cold_start
from inspector.records.bench import Warmup
from inspector.run.compile_time import CacheUse, ColdStart
from inspector.run.run import Run
from inspector.shared.warmup import StartEnd, WarmupCall, WarmupPlan

FORMAT_VERSION = 1
"""Of a warm-up as JSON: counts up when a field changes its meaning or goes."""
_STARTS = ("eager", "cold", "directory", "artifact")


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupInput:
    """An input that a service sees.

    Attributes:
        label: Label of the input: ``x[0]=4``, ``input 2``.
    """

    label: str
    shapes: str


@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    """Measurement of one kind of start.

    Attributes:
        name: ``eager``, ``cold``, ``directory`` or ``artifact``.
        load_ns: Time from process start until the model was loaded.
        failure: Why a call is missing, or an empty string.
        cost: Compile time and caches.
    """

    name: str
    process: int | None
    load_ns: int
    artifact: Warmup | None
    firsts: tuple[WarmupCall, ...]
    failure: str
    detail: str
    cost: ColdStart | None = None

    @property
    def compile_time_ns(self) -> int:
        """Compile time; 0 where nothing is known."""
        return self.cost.time_ns if self.cost is not None else 0

    @property
    def caches(self) -> tuple[CacheUse, ...]:
        """Hits, misses and bypasses of the caches, from the outermost to the innermost."""
        return self.cost.caches if self.cost is not None else ()

    def cache(self, name: str) -> CacheUse | None:
        """What one of them had."""
        return next((use for use in self.caches if use.cache == name), None)

    @property
    def artifact_ns(self) -> int:
        """Time to load the artifact, if there is one."""
        return self.artifact.time_ns if self.artifact is not None else 0

    @property
    def first_ns(self) -> int:
        """Total time of all first calls."""
        return sum(call.time_ns for call in self.firsts)

    @property
    def ready_ns(self) -> int:
        """Time from process start until every input was called once."""
        return self.load_ns + self.artifact_ns + self.first_ns

    @property
    def compilations(self) -> int:
        """Number of frames that were compiled or that Dynamo tried to compile."""
        return sum(call.compiled for call in self.firsts)


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupReport:
    """The starts of a service, and the plan to warm it up."""

    plan: WarmupPlan
    run: Run
    inputs: tuple[WarmupInput, ...]
    starts: tuple[Start, ...]

    @property
    def device(self) -> str:
        """The device's name, or an empty string."""
        return next((item.device for item in self.run.records(Warmup) if item.device), "")

    @property
    def threads(self) -> int:
        """Number of threads available to a CPU operator, if known."""
        return next((item.threads for item in self.run.records(Warmup) if item.threads), 0)

    def start(self, name: str) -> Start | None:
        """A start by its name, where it has called every input."""
        for start in self.starts:
            if start.name == name and 0 < len(self.inputs) <= len(start.firsts):
                return start
        return None

    @property
    def calls_without(self) -> tuple[int, ...]:
        """Inputs to call where the artifact cannot be used: those that compiled in a cold start.

        What compiled nothing says that the calls before it are enough for it.
        """
        start = self.start("cold")
        return tuple(call.input for call in start.firsts if call.compiled) if start else ()

    @property
    def calls(self) -> tuple[int, ...]:
        """Numbers of the inputs to call at startup after loading the artifact, in order."""
        start = self.start("artifact")
        if start is None:
            return self.calls_without
        return tuple(call.input for call in start.firsts if call.compiled)


def make_warmup_report(plan: WarmupPlan, run: Run) -> WarmupReport:
    """Reads what the starts found out."""
    return WarmupReport(plan, run, _inputs(plan, run), tuple(_starts(plan, run)))


def _inputs(plan: WarmupPlan, run: Run) -> tuple[WarmupInput, ...]:
    """The inputs, named so that no two have the same name."""
    shapes: dict[int, str] = {}
    for event in run.records(Warmup):
        if event.what == "first":
            shapes.setdefault(event.input, event.inputs)
    varied = [", ".join(map(str, of)) for of in plan.variations]
    return tuple(
        WarmupInput(varied[at] if varied else f"input {at + 1}", shapes[at])
        for at in sorted(shapes)
    )


def _starts(plan: WarmupPlan, run: Run) -> Iterator[Start]:
    ends = {end.start: end for end in plan.ends}
    numbers = {
        event.start: index
        for index, process in enumerate(run.processes)
        for event in process.records(Warmup)
    }
    for name in _STARTS:
        if name in numbers or name in ends:
            number, end = numbers.get(name), ends.get(name, StartEnd(name))
            events = () if number is None else run.processes[number].records(Warmup)
            yield Start(
                name=name,
                process=number,
                load_ns=next((event.time_ns for event in events if event.what == "loaded"), 0),
                artifact=next((event for event in events if event.what == "artifact"), None),
                firsts=tuple(
                    WarmupCall(event.input, event.time_ns, event.compiled)
                    for event in events
                    if event.what == "first"
                ),
                failure=end.failure,
                detail=end.detail,
                cost=None
                if number is None
                else cold_start(dataclasses.replace(run, processes=(run.processes[number],))),
            )
