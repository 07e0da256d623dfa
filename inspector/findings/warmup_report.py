"""Everything that is said about the starts of a service, and about the plan to warm it up."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from inspector.benches.warmup import Start, WarmupInput, make_inputs, make_starts
from inspector.findings.bench_machine import processor_of, torch_of
from inspector.findings.recompile_wording import changed
from inspector.model.cold_start import CacheUse, ColdStart
from inspector.model.compilation import Compilation
from inspector.model.run import Process, Run
from inspector.model.warmup import WarmupPlan

FORMAT_VERSION = 1
"""Of a warm-up as JSON: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class StillCompiles:
    """An input that compiles something after the plan.

    Attributes:
        input: Its number, from 0.
        compiled: How many frames.
        because: What did not fit, one clause each; or why it is not known.
    """

    input: int
    compiled: int
    because: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupReport:
    """Everything that is said about the starts and the plan.

    Attributes:
        plan: What was asked for, and what came of it.
        run: What was recorded.
        inputs: The inputs.
        starts: The starts, eager PyTorch first.
        costs: Compile time and caches of each start, by its name; ``check`` is the plan's.
        still: What compiles after the plan.
    """

    plan: WarmupPlan
    run: Run
    inputs: tuple[WarmupInput, ...]
    starts: tuple[Start, ...]
    costs: Mapping[str, ColdStart]
    still: tuple[StillCompiles, ...]

    @property
    def torch(self) -> str:
        """The version of torch, or an empty string."""
        return torch_of(self.run)

    @property
    def device(self) -> str:
        """The device's name, or an empty string."""
        events = [event for process in self.run.processes for event in process.warmups]
        return next((event.device for event in events if event.device), "")

    @property
    def threads(self) -> int:
        """Threads that an operator of the CPU may use, or 0."""
        events = [event for process in self.run.processes for event in process.warmups]
        return next((event.threads for event in events if event.threads), 0)

    @property
    def processor(self) -> str:
        """The CPU's name, or an empty string."""
        return processor_of(self.run)

    def start(self, name: str) -> Start | None:
        """A start by its name, where it has called every input."""
        all_inputs = set(range(len(self.inputs)))
        called = (s for s in self.starts if {call.input for call in s.firsts} >= all_inputs)
        return next((s for s in called if s.name == name and s.firsts), None)

    @property
    def has_plan(self) -> bool:
        """Whether it is known which inputs to call at start."""
        cold = self.start("cold")
        return cold is not None and (bool(self.plan.calls) or not cold.compilations)

    def cache(self, start: str, cache: str) -> CacheUse | None:
        """What a cache had in a start."""
        cost = self.costs.get(start)
        uses = cost.caches if cost is not None else ()
        return next((use for use in uses if use.cache == cache), None)


def make_warmup_report(plan: WarmupPlan, run: Run, costs: Mapping[str, ColdStart]) -> WarmupReport:
    """Reads what the starts found out.

    Args:
        plan: What was asked for, and what came of it.
        run: What was recorded.
        costs: Compile time and caches of each start, and of the ``check``.
    """
    number = check_process(run)
    return WarmupReport(
        plan=plan,
        run=run,
        inputs=make_inputs(plan, run),
        starts=make_starts(plan, run),
        costs=costs,
        still=_still(plan, None if number is None else run.processes[number]),
    )


def check_process(run: Run) -> int | None:
    """The index of the process that ran the script, which has torch's own trace alone."""
    for index, process in enumerate(run.processes):
        if not process.has_inspector_events and process.frames:
            return index
    return None


def _still(plan: WarmupPlan, process: Process | None) -> tuple[StillCompiles, ...]:
    check = plan.check
    if check is None:
        return ()
    compilations = _in_order(process)
    at = sum(call.compiled for call in check.calls)
    found = []
    for call in (*check.graphs, *check.later):
        because = tuple(map(_because, compilations[at : at + call.compiled]))
        if call.compiled:
            found.append(StillCompiles(call.input, call.compiled, tuple(dict.fromkeys(because))))
        at += call.compiled
    return tuple(found)


def _in_order(process: Process | None) -> Sequence[Compilation]:
    if process is None:
        return ()
    known = [item for frame in process.frames for item in frame.compilations]
    return sorted(known, key=lambda item: item.start_time_ns or 0)


def _because(item: Compilation) -> str:
    if item.hit_limit:
        return "the recompile limit is reached: it runs without the compiler"
    if item.recompile is None:
        return "its code is met for the first time"
    return changed(item.recompile)
