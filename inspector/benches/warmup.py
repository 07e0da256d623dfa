"""The starts of a service beside each other, and after how many calls each has paid for itself."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

from inspector.benches.ratio import Ratio, ratio_of
from inspector.events.warmup import InspectorWarmup
from inspector.model.run import Run
from inspector.model.variation import Assignment
from inspector.model.warmup import WarmupPlan

STARTS = ("eager", "cold", "directory", "artifact")


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupInput:
    """An input that a service sees.

    Attributes:
        label: Its name: ``x[0]=4``, ``batch 4``, ``input 2``.
        shapes: Shapes of its tensors, as text.
        of: Number of the target's input that it is made from, from 0.
        batch: Size of its batch, or None to leave it.
        changes: What is changed of it.
    """

    label: str
    shapes: str
    of: int
    batch: int | None
    changes: tuple[Assignment, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class FirstCall:
    """The first call with an input.

    Attributes:
        input: Its number, from 0.
        time_ns: How long it took.
        compiled: How many frames it compiled, or tried to.
    """

    input: int
    time_ns: int
    compiled: int


@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    """One way to start.

    Attributes:
        name: One of `STARTS`.
        process: Index of its process in the run, or None where there is none.
        load_ns: From the process's begin until the model was there.
        artifact: What it loaded, or None.
        saved: What it saved, or None where it saved nothing.
        firsts: The first calls, in order.
        round_ns: One later call of each input, or None where that was not measured.
        faster: Eager PyTorch's by this, or None.
        break_even: After so many calls of each input, the first included, all have taken less time
            than eager PyTorch's; None where they never do, or it is not faster beyond noise.
        failure: Why something is missing, or an empty string.
        detail: The user's own traceback, or an empty string.
    """

    name: str
    process: int | None
    load_ns: int
    artifact: InspectorWarmup | None
    saved: InspectorWarmup | None
    firsts: tuple[FirstCall, ...]
    round_ns: float | None
    faster: Ratio | None
    break_even: int | None
    failure: str
    detail: str

    @property
    def artifact_ns(self) -> int:
        """How long loading the artifact took; 0 where there is none."""
        return self.artifact.time_ns if self.artifact is not None else 0

    @property
    def first_ns(self) -> int:
        """All first calls together."""
        return sum(call.time_ns for call in self.firsts)

    @property
    def ready_ns(self) -> int:
        """From the process's begin until every input was called once."""
        return self.load_ns + self.artifact_ns + self.first_ns

    @property
    def compilations(self) -> int:
        """How many frames were compiled, or tried to."""
        return sum(call.compiled for call in self.firsts)

    @property
    def compiled_inputs(self) -> tuple[int, ...]:
        """The inputs whose first call compiled something."""
        return tuple(call.input for call in self.firsts if call.compiled)


def make_inputs(plan: WarmupPlan, run: Run) -> tuple[WarmupInput, ...]:
    """The inputs, named so that no two have the same name."""
    shapes: dict[int, str] = {}
    for event in _events(run):
        if event.what == "first":
            shapes.setdefault(event.input, event.inputs)
    return tuple(_input(plan, number, len(shapes), shapes[number]) for number in sorted(shapes))


def _input(plan: WarmupPlan, number: int, inputs: int, shapes: str) -> WarmupInput:
    batches: Sequence[int | None] = plan.batches or (None,)
    of, batch = number // len(batches), batches[number % len(batches)]
    if plan.variations:
        changes = plan.variations[of] if of < len(plan.variations) else ()
        label, of = ", ".join(map(str, changes)), 0
    else:
        changes, label = (), f"input {of + 1}" if inputs > len(batches) or batch is None else ""
    parts = (label, "" if batch is None else f"batch {batch}")
    return WarmupInput(", ".join(filter(None, parts)), shapes, of, batch, changes)


def make_starts(plan: WarmupPlan, run: Run) -> tuple[Start, ...]:
    """All starts that were tried, eager PyTorch first."""
    found: list[Start] = []
    eager: Start | None = None
    medians: dict[str, dict[tuple[int, int], float]] = {}
    ends = {end.start: end for end in plan.ends}
    for name in STARTS:
        events = [event for event in _events(run) if event.start == name]
        if not events and name not in ends:
            continue
        medians[name] = _rounds(events)
        start = _start(name, events, run)
        faster = ratio_of(medians.get("eager", {}), medians[name]) if eager is not None else None
        start = dataclasses.replace(
            start,
            round_ns=statistics.geometric_mean(medians[name].values()) if medians[name] else None,
            faster=faster,
            failure=ends[name].failure if name in ends else "",
            detail=ends[name].detail if name in ends else "",
        )
        found.append(dataclasses.replace(start, break_even=_break_even(start, eager)))
        eager = start if name == "eager" else eager
    return tuple(found)


def _events(run: Run) -> list[InspectorWarmup]:
    return [event for process in run.processes for event in process.warmups]


def _start(name: str, events: Sequence[InspectorWarmup], run: Run) -> Start:
    by_what = {event.what: event for event in events}
    loaded = by_what.get("loaded")
    return Start(
        name=name,
        process=_process(name, run),
        load_ns=loaded.time_ns if loaded is not None else 0,
        artifact=by_what.get("artifact"),
        saved=by_what.get("saved"),
        firsts=tuple(
            FirstCall(event.input, event.time_ns, event.compiled)
            for event in events
            if event.what == "first"
        ),
        round_ns=None,
        faster=None,
        break_even=None,
        failure="",
        detail="",
    )


def _process(name: str, run: Run) -> int | None:
    for index, process in enumerate(run.processes):
        if any(event.start == name for event in process.warmups):
            return index
    return None


def _rounds(events: Sequence[InspectorWarmup]) -> dict[tuple[int, int], float]:
    """One call of each input by round: the sum of the medians of its blocks."""
    times: dict[int, dict[int, float]] = {}
    for event in events:
        if event.what == "block" and event.times_ns:
            times.setdefault(event.round, {})[event.input] = statistics.median(event.times_ns)
    inputs = max(map(len, times.values()), default=0)
    return {(0, at): sum(of.values()) for at, of in times.items() if len(of) == inputs}


def _break_even(start: Start, eager: Start | None) -> int | None:
    if eager is None or eager.round_ns is None or start.round_ns is None or not start.firsts:
        return None
    if start.faster is None or start.faster.low <= 1:
        return None
    gain_ns = eager.round_ns - start.round_ns
    more_ns = start.artifact_ns + _beyond(start) - _beyond(eager)
    return max(1, math.ceil(more_ns / gain_ns)) if gain_ns > 0 else None


def _beyond(start: Start) -> float:
    """What the first calls take more than later ones."""
    return max(0.0, start.first_ns - (start.round_ns or 0.0))
