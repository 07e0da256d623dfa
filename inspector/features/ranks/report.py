"""Compilations of all ranks of a job, matched by the code object that they compile."""

import collections
import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.ranks.differences import Difference, differences, group_equal
from inspector.records.execution import GraphExecution, OperatorEstimates
from inspector.report.finding import Finding
from inspector.report.processes import labels
from inspector.run.compilation import Compilation, Frame
from inspector.run.run import Process, Run
from inspector.shared.roots import Owner
from inspector.shared.stack import StackFrame, user_frame
from inspector.trace.caches import CacheState

FORMAT_VERSION = 1
"""Of a report on ranks as JSON: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class RankCompilation:
    """One compilation on one rank.

    Attributes:
        process: Index of the process in the run.
        start_ns: Start time since the epoch, by the clock of its host; None if unknown.
        time_ns: Compile time, forward and backward.
        run_ns: Time of a call of its graphs, estimated by Inductor's cost model; None if not
            logged.
        collectives_ns: Part of ``run_ns`` spent in collectives; None if not logged.
    """

    process: int
    compile_id: str
    start_ns: int | None
    time_ns: int
    compilation: Compilation
    run_ns: float | None = None
    collectives_ns: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class RankRow:
    """The n-th compilation of one code object, on every rank that has it.

    Attributes:
        number: Index of the compilation of the code object, from 0.
        missing: Processes that compiled the code object less often, or never.
        differences: Differences between ranks, causes before effects.
        wait_ns: Time that the fastest ranks wait for the slowest if all start at the same time.
    """

    frame: Frame
    number: int
    compilations: tuple[RankCompilation, ...]
    missing: tuple[int, ...]
    differences: tuple[Difference, ...]
    wait_ns: int

    @property
    def is_equal(self) -> bool:
        """Whether all ranks did the same."""
        return not self.missing and not self.differences

    def place(self, run: Run) -> StackFrame:
        """The definition of the code object, or the user's line that called it in a library."""
        if run.roots.owner(self.frame.file) in {Owner.TORCH, Owner.STDLIB}:
            found = user_frame(self.compilations[0].compilation.stack, run.roots)
            if found is not None:
                return found
        return StackFrame(self.frame.file, self.frame.first_line, self.frame.name)

    @property
    def slowest(self) -> RankCompilation:
        """The rank that the others wait for."""
        return max(self.compilations, key=lambda item: item.time_ns)


@dataclasses.dataclass(frozen=True, slots=True)
class Rank:
    """One process of the job.

    Attributes:
        process: Its index in the run.
        wait_ns: What it waits for slower ranks, added up over the rows: an estimate.
        begin_ns: Start of its first compilation, relative to that of the first rank; None if
            unknown.
        cache_hits: Number of graphs loaded from a cache.
        cache_misses: Number of graphs not found in a cache.
    """

    process: int
    name: str
    compilations: int
    graph_breaks: int
    compile_time_ns: int
    wait_ns: int
    begin_ns: int | None
    cache_hits: int
    cache_misses: int


@dataclasses.dataclass(frozen=True, slots=True)
class OtherOrder:
    """The first call of a graph that is not the same on all ranks.

    Attributes:
        call: Its number, from 0.
        groups: Processes that call the same graph there, the largest group first.
        rows: What each group calls; None where it calls nothing more.
    """

    call: int
    groups: tuple[tuple[int, ...], ...]
    rows: tuple[RankRow | None, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class RanksReport:
    """What the ranks of a job compiled.

    Attributes:
        rows: Compilations, ordered by their start on the first rank that has them.
        other_order: First call of a graph that differs between ranks. None if all calls are the
            same or their order is not logged.
    """

    run: Run
    ranks: tuple[Rank, ...]
    rows: tuple[RankRow, ...]
    other_order: OtherOrder | None = None
    findings: tuple[Finding, ...] = ()
    next_steps: tuple[str, ...] = ()


def make_ranks_report(run: Run) -> RanksReport:
    """Compares the processes of a run that compiled something."""
    compared = [index for index, process in enumerate(run.processes) if process.frames]
    rows = tuple(_rows(run, compared))
    waits: collections.Counter[int] = collections.Counter()
    for row in rows:
        own = {item.process: item.time_ns for item in row.compilations}
        for index in compared:
            waits[index] += row.slowest.time_ns - own.get(index, 0)
    return RanksReport(run, tuple(_ranks(run, compared, waits)), rows, _other_order(run, rows))


def _other_order(run: Run, rows: Sequence[RankRow]) -> OtherOrder | None:
    """Calls are compared by code object: compile ids count up in another order on each rank."""
    named = {(item.process, item.compile_id): row for row in rows for item in row.compilations}
    called = {
        index: [
            named.get((index, call.compile_id or ""))
            for execution in process.records(GraphExecution)
            for call in execution.calls
        ]
        for index, process in enumerate(run.processes)
    }
    called = {index: calls for index, calls in called.items() if calls}
    for number, each in enumerate(itertools.zip_longest(*called.values())):
        groups = group_equal({i: id(row) for i, row in zip(called, each, strict=True)})
        if len(groups) > 1:
            by_process = dict(zip(called, each, strict=True))
            return OtherOrder(number, groups, tuple(by_process[group[0]] for group in groups))
    return None


def _ranks(run: Run, compared: Sequence[int], waits: Mapping[int, int]) -> Iterator[Rank]:
    names = labels(run)
    begins = {index: _begin_ns(run.processes[index]) for index in compared}
    first = min((at for at in begins.values() if at is not None), default=0)
    for index in compared:
        process, begin_ns = run.processes[index], begins[index]
        graphs = [item for item in process.lookups if item.cache in {"FX graph", "AOTAutograd"}]
        yield Rank(
            process=index,
            name=names[index],
            compilations=sum(len(_compiled(frame)) for frame in process.frames),
            graph_breaks=sum(
                len(item.graph_breaks) for frame in process.frames for item in frame.compilations
            ),
            compile_time_ns=process.compile_time_ns,
            wait_ns=waits[index],
            begin_ns=None if begin_ns is None else begin_ns - first,
            cache_hits=sum(item.state is CacheState.HIT for item in graphs),
            cache_misses=sum(item.state is CacheState.MISS for item in graphs),
        )


def _begin_ns(process: Process) -> int | None:
    return min(
        (
            item.start_time_ns
            for frame in process.frames
            for item in frame.compilations
            if item.start_time_ns is not None
        ),
        default=None,
    )


def _rows(run: Run, compared: Sequence[int]) -> Iterator[RankRow]:
    """Code objects are matched by their place: their numbers differ once one rank has one more."""
    found: dict[tuple[str, int, str, int, int], list[tuple[int, Frame, Compilation]]] = {}
    for index in compared:
        seen: collections.Counter[tuple[str, int, str]] = collections.Counter()
        for frame in run.processes[index].frames:
            place = (frame.file, frame.first_line, frame.name)
            seen[place] += 1
            for number, item in enumerate(_compiled(frame)):
                found.setdefault((*place, seen[place], number), []).append((index, frame, item))
    estimates = {index: _estimates(run.processes[index]) for index in compared}
    for (*_, number), members in found.items():
        compilations = tuple(
            RankCompilation(
                index,
                str(item.compile_id),
                item.start_time_ns,
                _time_ns(run.processes[index], item),
                item,
                *estimates[index].get(str(item.compile_id), (None, None)),
            )
            for index, _, item in members
        )
        have = {item.process for item in compilations}
        missing = tuple(index for index in compared if index not in have)
        times = [item.time_ns for item in compilations] + [0 for _ in missing]
        yield RankRow(
            members[0][1],
            number,
            compilations,
            missing,
            differences(run, {item.process: item.compilation for item in compilations}),
            max(times) - min(times),
        )


def _estimates(process: Process) -> dict[str, tuple[float, float]]:
    """Nanoseconds of all operators and of collectives, by compile id."""
    found: dict[str, tuple[float, float]] = {}
    for record in process.records(OperatorEstimates):
        all_ns, collectives_ns = found.get(record.compile_id, (0.0, 0.0))
        found[record.compile_id] = (
            all_ns + sum(item.time_ns for item in record.operators),
            collectives_ns
            + sum(item.time_ns for item in record.operators if item.kind == "collective"),
        )
    return found


def _compiled(frame: Frame) -> list[Compilation]:
    """Those that gave a graph, or broke one."""
    return [item for item in frame.compilations if item.graphs or item.graph_breaks]


def _time_ns(process: Process, compilation: Compilation) -> int:
    """Forward and backward; after `torch._dynamo.reset()` of all uses of the compile id."""
    name = str(compilation.compile_id)
    return sum(
        stage.time_ns
        for item in process.compile_times
        if item.compile_id == name
        for stage in item.stages
    )
