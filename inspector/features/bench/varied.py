"""One model over many inputs: what the first call with each costs, and what the others take."""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.bench.compiled import first_process
from inspector.features.bench.ratio import Ratio, ratio_of
from inspector.features.bench.rows import BenchRow
from inspector.records.bench import FirstCalls
from inspector.run.recompile import Recompile
from inspector.run.run import Process, Run
from inspector.shared.bench import BenchPlan, Setting


@dataclasses.dataclass(frozen=True, slots=True)
class VariedInput:
    """One input with one setting.

    Attributes:
        label: What is varied: ``x[0]=4``.
        compiled: Number of frames that its first call compiled.
        recompiles: Those of them that had been compiled before, with what did not fit.
        is_after_limit: Whether the recompile limit had been reached with an input before: nothing
            is compiled any more then, and what fits no cache entry runs as eager PyTorch.
    """

    label: str
    row: BenchRow
    compiled: int
    recompiles: tuple[Recompile, ...]
    is_after_limit: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class VariedSetting:
    """Results of one setting with all varied inputs.

    Attributes:
        inputs: The inputs, in the order of their first calls.
        first_ns: Compile cost: the time of all first calls minus one warm call of each input, or
            None.
        round_ns: Time of one warm call with each input, or None.
        compiled_inputs: Number of first calls that compiled something.
        break_even_rounds: Number of calls of each input, including the first, after which the total
            time is below that of eager PyTorch. None if this never happens or the gain is within
            noise.
        failure: Why it was not measured, or not to its end, or an empty string.
        rounds: One call of each input in ns, by session and round, of those that have all of them.
        faster: Eager time divided by this setting's time, for one warm call with each input.
    """

    setting: Setting
    inputs: tuple[VariedInput, ...]
    first_ns: float | None
    round_ns: float | None
    compiled_inputs: int
    break_even_rounds: int | None
    failure: str
    rounds: Mapping[tuple[int, int], float] = dataclasses.field(default_factory=dict)
    faster: Ratio | None = None

    @property
    def is_faster(self) -> bool:
        """Whether it is faster by more than noise."""
        return self.faster is not None and self.faster.low > 1

    @property
    def is_all_eager(self) -> bool:
        """Whether no graph came of all that was tried."""
        tried = [item.row.compiled for item in self.inputs if item.row.compiled is not None]
        return bool(tried) and not any(found.graphs for found in tried)


def make_varied(plan: BenchPlan, run: Run, rows: Sequence[BenchRow]) -> tuple[VariedSetting, ...]:
    """The settings of the plan's first workload; eager PyTorch first."""
    found: list[VariedSetting] = []
    for number in plan.numbers(plan.workloads[0]):
        mine = sorted((it for it in rows if it.combination == number), key=lambda row: row.input)
        if mine:
            eager = found[0] if found and found[0].setting.is_eager else None
            found.append(_setting(mine, first_process(run, number), eager))
    return tuple(found)


def _setting(
    rows: Sequence[BenchRow], process: Process | None, eager: VariedSetting | None
) -> VariedSetting:
    inputs = tuple(_inputs(rows, process))
    times = [row.latency.middle_ns for row in rows if row.latency]
    calls = [row.first_ns for row in rows if row.first_ns is not None]
    failure = next((row.failure for row in rows if row.failure), "")
    is_whole = not failure and len(times) == len(calls) == len(rows)
    round_ns = sum(times) if is_whole else None
    rounds = _rounds(rows) if is_whole else {}
    found = VariedSetting(
        setting=rows[0].setting,
        inputs=inputs,
        first_ns=max(0.0, sum(calls) - sum(times)) if is_whole else None,
        round_ns=round_ns,
        compiled_inputs=sum(bool(item.compiled) for item in inputs),
        break_even_rounds=None,
        failure=failure,
        rounds=rounds,
        faster=ratio_of(eager.rounds, rounds) if eager is not None else None,
    )
    return dataclasses.replace(found, break_even_rounds=_break_even(found, eager))


def _inputs(rows: Sequence[BenchRow], process: Process | None) -> Iterator[VariedInput]:
    """The inputs in the order of their first calls, with what the recompile limit means to them."""
    firsts = process.records(FirstCalls) if process is not None else ()
    compiled = {event.input: event.compiled for event in firsts}
    recompiles: dict[int, list[Recompile]] = {}
    for frame in process.frames if process is not None else ():
        for item in frame.compilations:
            if item.recompile is not None and item.input is not None:
                recompiles.setdefault(item.input, []).append(item.recompile)
    is_reached = False
    for row in rows:
        mine = tuple(recompiles.get(row.input, ()))
        yield VariedInput(row.varies, row, compiled.get(row.input, 0), mine, is_reached)
        is_reached |= any(each.hit_limit for each in mine)


def _rounds(rows: Sequence[BenchRow]) -> Mapping[tuple[int, int], float]:
    """One call of each input by session and round: what differs between rounds meets them all."""
    each = [row.medians for row in rows]
    whole = set.intersection(*(set(medians) for medians in each))
    return {at: sum(medians[at] for medians in each) for at in sorted(whole)}


def _break_even(found: VariedSetting, eager: VariedSetting | None) -> int | None:
    first_ns, round_ns = found.first_ns, found.round_ns
    if first_ns is None or round_ns is None or eager is None or eager.round_ns is None:
        return None
    gain_ns = eager.round_ns - round_ns
    if gain_ns <= 0 or not found.is_faster:  # the next run may gain nothing
        return None
    more_ns = _second_ns(found) - _second_ns(eager)
    return max(1, math.ceil((first_ns - (eager.first_ns or 0.0) + more_ns) / gain_ns))


def _second_ns(found: VariedSetting) -> float:
    return sum(
        max(0.0, row.second_ns - row.latency.middle_ns)
        for row in (item.row for item in found.inputs)
        if row.second_ns and row.latency
    )
