"""Compile time by compilation and stage, out of torch's ``dynamo_timed`` spans."""

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from inspector.run.compile_time import CompilationTime, StageTime
from inspector.run.folding.pairing import Pairing, Span
from inspector.run.folding.stages import STAGES, UNATTRIBUTED, is_backward, stage_of
from inspector.trace.timing import ChromiumEvent

_DEPTH = {stage: depth for depth, stage in enumerate(STAGES)}
_Owner: TypeAlias = tuple[str, int]  # compile id and occurrence
# How many ended spans are kept while others are open.
_MOST_PENDING = 20_000


@dataclasses.dataclass(frozen=True, slots=True)
class _Interval:
    begin_ns: int
    end_ns: int
    depth: int
    owner: _Owner
    backward: bool


class Spans:
    """Collects begin and end events of one process, which can interleave over threads.

    Memory is that of the spans of one compilation: as soon as none is open, they are added up.
    """

    def __init__(self) -> None:
        self.pairing = Pairing()
        self._pending: list[_Interval] = []
        self._folded_ns = 0  # what lies before is added up
        self._totals: dict[tuple[_Owner, bool], collections.Counter[int]] = {}
        self._begins: dict[tuple[_Owner, bool], int] = {}

    def add(self, event: ChromiumEvent) -> list[Span]:
        """Takes one event; returns the spans that end with it, the outermost last.

        Spans outside of any compilation count as well.
        """
        ended = self.pairing.add(event)
        if not ended:
            return ended
        self._pending += map(_interval, ended)
        if self.pairing.is_idle:
            self._fold(self._pending, None)
            self._pending = []
        elif len(self._pending) >= _MOST_PENDING:
            # Adds up what lies before, of the open spans too.
            unfinished = map(_interval, self.pairing.unfinished())
            self._fold([*self._pending, *unfinished], event.time_ns)
            self._pending = []
        return ended

    def stages(self) -> tuple[StageTime, ...]:
        """Time by stage, in the order of the stages; their sum is the union of all spans."""
        totals: collections.Counter[int] = collections.Counter()
        for item in self._all_totals().values():
            totals.update(item)
        return _stage_times(totals)

    def compilations(self) -> tuple[CompilationTime, ...]:
        """Time by compilation, in the order in which they began; they add up to the same."""
        totals = self._all_totals()
        begins = {key: self._begins.get(key, 0) for key in totals}
        return tuple(
            CompilationTime(
                compile_id=key[0][0],
                occurrence=key[0][1],
                is_backward=key[1],
                begin_ns=begins[key],
                stages=_stage_times(totals[key]),
            )
            for key in sorted(totals, key=lambda key: (begins[key], key))
            if totals[key].total()
        )

    def _all_totals(self) -> dict[tuple[_Owner, bool], collections.Counter[int]]:
        """What is added up, and what is still open as if it ended with the last event."""
        kept, folded_ns = self._totals, self._folded_ns
        self._totals = {key: collections.Counter(item) for key, item in kept.items()}
        unfinished = [_interval(span) for span in self.pairing.unfinished()]
        self._fold([*self._pending, *unfinished], None)
        totals, self._totals, self._folded_ns = self._totals, kept, folded_ns
        return totals

    def _fold(self, intervals: Sequence[_Interval], until_ns: int | None) -> None:
        for owner, backward, depth, begin_ns, end_ns in _innermost(intervals):
            begin = max(begin_ns, self._folded_ns)
            end = end_ns if until_ns is None else min(end_ns, until_ns)
            if end > begin:
                key = (owner, backward)
                self._totals.setdefault(key, collections.Counter())[depth] += end - begin
                self._begins.setdefault(key, begin)
        last_ns = max((item.end_ns for item in intervals), default=0)
        self._folded_ns = max(self._folded_ns, last_ns if until_ns is None else until_ns)


def _interval(span: Span) -> _Interval:
    backward = is_backward(span.name) or span.arguments.get("is_backward") is True
    # A span of an unknown name is its parent's; without one, nobody knows of what stage it is.
    known = stage_of(span.name, in_code_generation=span.in_code_generation)
    stage = known or UNATTRIBUTED
    owner = (span.compile_id, span.occurrence)
    return _Interval(span.begin_ns, span.end_ns, _DEPTH[stage], owner, backward)


def _stage_times(totals: collections.Counter[int]) -> tuple[StageTime, ...]:
    """In the order of the stages; what torch does not attribute comes last."""
    order = sorted(totals, key=lambda depth: (STAGES[depth] == UNATTRIBUTED, depth))
    return tuple(StageTime(STAGES[depth], totals[depth]) for depth in order if totals[depth])


def _innermost(intervals: Iterable[_Interval]) -> Iterator[tuple[_Owner, bool, int, int, int]]:
    """(owner, is backward, depth, begin, end) of what is at work between any two edges.

    A span of a worker has no compile id: its time is that of the compilation around it.
    """
    edges = [(item.begin_ns, 1, item) for item in intervals]
    edges += [(item.end_ns, -1, item) for item in intervals]
    edges.sort(key=lambda edge: edge[:2])
    active: list[dict[_Owner, int]] = [{} for _ in STAGES]
    backwards: collections.Counter[_Owner] = collections.Counter()
    before_ns = 0
    for time_ns, change, item in edges:
        if time_ns > before_ns:
            depths = [depth for depth in reversed(range(len(active))) if active[depth]]
            if depths:
                owners = (owner for depth in depths for owner in reversed(active[depth]))
                owner = next((owner for owner in owners if owner[0]), ("", 0))
                yield owner, bool(backwards[owner]), depths[0], before_ns, time_ns
        counts = active[item.depth]
        left = counts.get(item.owner, 0) + change
        if left:
            counts[item.owner] = left
        else:
            counts.pop(item.owner, None)
        backwards[item.owner] += change * item.backward
        before_ns = time_ns
