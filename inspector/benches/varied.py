"""One model over many inputs: what the first call with each costs, and what the others take."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.benches.rows import BenchRow
from inspector.benches.sessions import first_process
from inspector.events.bench import InspectorBench
from inspector.model.bench import BenchPlan, Setting
from inspector.model.recompile import Recompile
from inspector.model.run import Process, Run

__all__ = ["VariedInput", "VariedSetting", "make_varied"]


@dataclasses.dataclass(frozen=True, slots=True)
class VariedInput:
    """One input with one setting.

    Attributes:
        label: What is varied: ``x[0]=4``.
        row: What was measured.
        compiled: How many frames its first call compiled.
        xla_programs: How many programs XLA compiled in it, with or without Dynamo.
        xla_compile_ns: How long XLA took for that.
        recompiles: Those of them that had been compiled before, with what did not fit.
        is_after_limit: Whether the recompile limit had been reached with an input before: nothing
            is compiled any more then, and what fits no cache entry runs as eager PyTorch.
    """

    label: str
    row: BenchRow
    compiled: int
    recompiles: tuple[Recompile, ...]
    xla_programs: int = 0
    xla_compile_ns: int = 0
    is_after_limit: bool = False

    @property
    def is_compiled(self) -> bool:
        """Whether anything was compiled in its first call."""
        return bool(self.compiled or self.xla_programs)


@dataclasses.dataclass(frozen=True, slots=True)
class VariedSetting:
    """All inputs with one setting.

    Attributes:
        setting: The setting.
        inputs: The inputs, in the order of their first calls.
        first_ns: All first calls together, less one call of each: what compiling costs; or None.
        round_ns: One call of each input, everything compiled; or None.
        compiled_inputs: How many first calls compiled something.
        break_even_rounds: After so many calls of each input, the first included, all have taken
            less time than eager PyTorch's; None where they never do.
        speedup: Geometric mean of eager time by its time, or None.
        failure: Why it was not measured, or an empty string.
    """

    setting: Setting
    inputs: tuple[VariedInput, ...]
    first_ns: float | None
    round_ns: float | None
    compiled_inputs: int
    break_even_rounds: int | None
    speedup: float | None
    failure: str


def make_varied(plan: BenchPlan, run: Run, rows: Sequence[BenchRow]) -> tuple[VariedSetting, ...]:
    """The settings of the plan's first workload; eager PyTorch first."""
    workload = plan.workloads[0]
    found = []
    eager: VariedSetting | None = None
    for number in plan.numbers(workload):
        mine = [row for row in rows if row.combination == number]
        if mine:
            process = first_process(run, plan, number)
            found.append(_setting(plan, mine, process, eager))
            eager = found[-1] if mine[0].setting.is_eager else eager
    return tuple(found)


def _setting(
    plan: BenchPlan,
    rows: Sequence[BenchRow],
    process: Process | None,
    eager: VariedSetting | None,
) -> VariedSetting:
    firsts = _firsts(process)
    recompiles = _recompiles(process)
    labels = [", ".join(map(str, items)) for items in plan.variations]
    inputs = tuple(
        VariedInput(
            label=labels[row.input] if row.input < len(labels) else "",
            row=row,
            compiled=firsts[row.input].compiled if row.input in firsts else 0,
            recompiles=tuple(recompiles.get(row.input, ())),
            xla_programs=firsts[row.input].xla_programs if row.input in firsts else 0,
            xla_compile_ns=firsts[row.input].xla_compile_ns if row.input in firsts else 0,
        )
        for row in sorted(rows, key=lambda row: row.input)
    )
    inputs = tuple(_after_limit(inputs))
    times = [item.row.latency.middle_ns for item in inputs if item.row.latency]
    calls = [item.row.first_ns for item in inputs if item.row.first_ns is not None]
    is_whole = len(times) == len(calls) == len(inputs)
    round_ns = sum(times) if is_whole else None
    first_ns = max(0.0, sum(calls) - sum(times)) if is_whole else None
    logs = [math.log(item.row.faster.middle) for item in inputs if item.row.faster]
    return VariedSetting(
        setting=rows[0].setting,
        inputs=inputs,
        first_ns=first_ns,
        round_ns=round_ns,
        compiled_inputs=sum(item.is_compiled for item in inputs),
        break_even_rounds=_break_even(first_ns, round_ns, eager),
        speedup=math.exp(statistics.fmean(logs)) if logs else None,
        failure=next((row.failure for row in rows if row.failure), ""),
    )


def _after_limit(inputs: Iterable[VariedInput]) -> Iterator[VariedInput]:
    """The inputs, in the order of their first calls, with what the limit meant for them."""
    is_reached = False
    for item in inputs:
        yield dataclasses.replace(item, is_after_limit=is_reached)
        is_reached |= any(each.hit_limit for each in item.recompiles)


def _break_even(
    first_ns: float | None, round_ns: float | None, eager: VariedSetting | None
) -> int | None:
    if first_ns is None or round_ns is None or eager is None or eager.round_ns is None:
        return None
    gain_ns = eager.round_ns - round_ns
    if gain_ns <= 0:
        return None
    return max(1, math.ceil((first_ns - (eager.first_ns or 0.0)) / gain_ns))


def _firsts(process: Process | None) -> Mapping[int, InspectorBench]:
    events = process.benches if process is not None else ()
    return {event.input: event for event in events if event.what == "first"}


def _recompiles(process: Process | None) -> Mapping[int, list[Recompile]]:
    found: dict[int, list[Recompile]] = {}
    for frame in process.frames if process is not None else ():
        for item in frame.compilations:
            if item.recompile is not None and item.input is not None and not item.call:
                found.setdefault(item.input, []).append(item.recompile)
    return found
