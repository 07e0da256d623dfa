"""Runs the sessions of `inspect bench`: all combinations together, then what has no room there."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Collection, Iterable, Iterator, Sequence

from inspector.commands.bench_progress import BenchProgress
from inspector.commands.bench_session import Session
from inspector.commands.bench_workers import Bench, forget
from inspector.model.bench import Room, WorkerEnd, Workload
from inspector.model.out_of_memory import lacks_memory


def run_bench(bench: Bench, progress: BenchProgress) -> Iterator[WorkerEnd]:
    """Runs all sessions of all workloads.

    A combination that has no memory beside all others is begun anew: it takes turns with eager
    PyTorch alone, and where even these two have no room it is measured after it.

    Yields:
        How each process ended; what it found out is in the recording by then.
    """
    chosen = random.Random(bench.seed)  # noqa: S311 - an order, and no secret
    for workload in bench.plan.workloads:
        yield from _Sessions(bench, workload, progress, chosen).run()


class _Sessions:
    """Those of one workload."""

    def __init__(
        self, bench: Bench, workload: Workload, progress: BenchProgress, chosen: random.Random
    ) -> None:
        self._bench = bench
        self._numbers = list(bench.plan.numbers(workload))
        self._eager = self._numbers[0]
        self._count = bench.plan.sessions
        self._progress = progress
        self._chosen = chosen
        # What had no room beside others in the sessions that were run last.
        self._crowded: list[int] = []

    def run(self) -> Iterator[WorkerEnd]:
        yield from self._together(self._numbers, 0, self._numbers)
        for place, number in enumerate(self._crowded, 1):
            base = place * self._count
            pair = (self._eager, number)
            self._progress.leave_out(-len(pair) * self._count)
            yield from _of(number, Room.PAIR, self._together(pair, base, (number,)))
            if self._crowded:
                for session in range(base, base + self._count):
                    forget(self._bench, self._eager, session)
                self._progress.leave_out(-len(pair) * self._count)
                yield from _of(number, Room.ALONE, self._one_by_one(pair, base))

    def _together(
        self, numbers: Sequence[int], base: int, firsts: Collection[int]
    ) -> Iterator[WorkerEnd]:
        """Sessions in which combinations take turns.

        Args:
            numbers: The combinations, eager PyTorch among them.
            base: The number of the first session.
            firsts: Those that begin for the first time.
        """
        self._crowded = []
        left = list(numbers)
        for session in range(base, base + self._count):
            order = list(left)
            self._chosen.shuffle(order)
            # What comes last is what has no room, and all others need it.
            order.sort(key=lambda number: number != self._eager)
            found = self._session(session, firsts if session == base else ())
            ends = list(found.run(order))
            alone = found.eager_has_no_room
            ends = self._without_crowded(ends, range(base, session + 1), eager_is_alone=alone)
            yield from ends
            gone = {end.combination for end in ends if end.failure}.union(self._crowded)
            if (base or self._crowded) and gone.union((self._eager,)) >= {*left}:
                gone.add(self._eager)  # nobody takes turns with it any more
            left = [number for number in left if number not in gone]
            self._progress.leave_out((base + self._count - 1 - session) * len(gone & {*order}))
            if not left:
                return

    def _one_by_one(self, numbers: Sequence[int], base: int) -> Iterator[WorkerEnd]:
        """Sessions of which each combination has the machine for itself, eager PyTorch first."""
        for session in range(base, base + self._count):
            for number in numbers:
                firsts = (number,) if session == base and number != self._eager else ()
                ends = list(self._session(session, firsts).run([number]))
                yield from ends
                if number != self._eager and any(end.failure for end in ends):
                    self._progress.leave_out((base + self._count - 1 - session) * len(numbers))
                    return

    def _session(self, number: int, firsts: Collection[int]) -> Session:
        return Session(self._bench, number, firsts, self._progress, self._chosen)

    def _without_crowded(
        self, ends: Sequence[WorkerEnd], sessions: Iterable[int], *, eager_is_alone: bool
    ) -> list[WorkerEnd]:
        """Takes note of what had no room beside others, and throws away what it has done.

        It can be eager PyTorch that gets no more memory, for it was there first: then no other
        has room beside all. Where eager PyTorch had nothing beside it, that is none of the others'
        doing.
        """
        lacking = {end.combination for end in ends if lacks_memory(end.failure)}
        if eager_is_alone:
            lacking.discard(self._eager)
        failed = {end.combination for end in ends if end.failure}
        others = [end.combination for end in ends if end.combination != self._eager]
        crowded = [number for number in others if number in lacking]
        if self._eager in lacking:
            crowded = [number for number in others if number not in failed - lacking]
        for number, session in itertools.product(crowded, sessions):
            forget(self._bench, number, session)
        self._crowded += crowded
        return [
            end
            for end in ends
            if end.combination not in crowded and not (crowded and end.combination in lacking)
        ]


def _of(number: int, room: Room, ends: Iterable[WorkerEnd]) -> Iterator[WorkerEnd]:
    """How the processes of a combination ended that was not measured with all others."""
    for end in ends:
        if end.combination == number:
            yield dataclasses.replace(end, room=room.value)
