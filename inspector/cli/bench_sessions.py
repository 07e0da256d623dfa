"""Runs the sessions of `inspect bench`: all combinations together, then what has no room there."""

import dataclasses
import itertools
import random
from collections.abc import Collection, Iterator, Sequence

from inspector.cli.bench_session import Session
from inspector.cli.bench_workers import Bench, forget
from inspector.cli.progress import BenchProgress
from inspector.shared.bench import WorkerEnd
from inspector.shared.out_of_memory import lacks_memory

_SEED = 0  # of the order


def run_bench(bench: Bench, progress: BenchProgress) -> Iterator[WorkerEnd]:
    """Runs all sessions of all workloads; yields how each process ended."""
    chosen = random.Random(_SEED)  # noqa: S311 - an order, and no secret
    for workload in bench.plan.workloads:
        yield from _Workload(bench, bench.plan.numbers(workload), progress, chosen).run()


class _Workload:
    """The sessions of one workload."""

    def __init__(
        self, bench: Bench, numbers: Sequence[int], progress: BenchProgress, chosen: random.Random
    ) -> None:
        self._bench = bench
        self._numbers = numbers
        self._eager = numbers[0]
        self._count = bench.plan.sessions
        self._progress = progress
        self._chosen = chosen
        self._crowded: list[int] = []

    def run(self) -> Iterator[WorkerEnd]:
        yield from self._together()
        for place, number in enumerate(self._crowded, 1):
            for end in self._alone(number, place * self._count):
                if end.combination == number:
                    yield dataclasses.replace(end, is_alone=True)

    def _together(self) -> Iterator[WorkerEnd]:
        """Sessions in which all take turns, without what had no room in an earlier one."""
        left = list(self._numbers)
        for session in range(self._count):
            order = list(left)
            self._chosen.shuffle(order)
            # What comes last is what has no room, and all others need eager PyTorch.
            order.sort(key=lambda number: number != self._eager)
            found = self._session(session, () if session else self._numbers)
            ends = list(found.run(order))
            crowded = self._crowded_in(ends, eager_is_alone=found.eager_has_no_room)
            for number, each in itertools.product(crowded, range(session + 1)):
                forget(self._bench, number, each)
            self._crowded += crowded
            for end in ends:
                if not (crowded and lacks_memory(end.failure)) and end.combination not in crowded:
                    yield end
            gone = {end.combination for end in ends if end.failure}.union(self._crowded)
            if self._crowded and gone.union((self._eager,)) >= {*left}:
                gone.add(self._eager)  # nobody takes turns with it any more
            left = [number for number in left if number not in gone]
            if not left:
                return

    def _crowded_in(self, ends: Sequence[WorkerEnd], *, eager_is_alone: bool) -> list[int]:
        """What ran out of memory next to others: all, if eager PyTorch did and was not alone."""
        lacking = {end.combination for end in ends if lacks_memory(end.failure)}
        failed = {end.combination for end in ends if end.failure}
        others = [end.combination for end in ends if end.combination != self._eager]
        if self._eager in lacking and not eager_is_alone:
            return [number for number in others if number not in failed - lacking]
        return [number for number in others if number in lacking]

    def _alone(self, number: int, base: int) -> Iterator[WorkerEnd]:
        """Sessions of which each has the machine for itself, eager PyTorch first."""
        for session in range(base, base + self._count):
            for each in (self._eager, number):
                firsts = (number,) if session == base and each == number else ()
                ends = list(self._session(session, firsts).run([each]))
                yield from ends
                if each == number and any(end.failure for end in ends):
                    return

    def _session(self, number: int, firsts: Collection[int]) -> Session:
        return Session(self._bench, number, firsts, self._progress, self._chosen)
