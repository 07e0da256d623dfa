"""Times the configurations of a kernel in turns, and checks what each of them writes."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.capture.alone.arguments import Arguments, Difference, Written, difference
from inspector.capture.alone.timer import Flush, Unit, times_ns

_QUICK = 7
_MOST_SESSION_S = 2.0
_NS = 1e9


@dataclasses.dataclass(slots=True)
class Row:
    """One configuration, or the kernel as it is.

    Attributes:
        launch: Launches it on the arguments.
        cold_ns: Its times with an empty cache.
        warm_ns: Its times with what it reads in the cache, as far as it fits.
        difference: How far its results are from the original's, or None where it was not checked.
        error: Why it could not be launched, in one line, or an empty string.
    """

    launch: Callable[[], object]
    cold_ns: list[int] = dataclasses.field(default_factory=list)
    warm_ns: list[int] = dataclasses.field(default_factory=list)
    difference: Difference | None = None
    error: str = ""


class Bench:
    """Launches on one set of arguments.

    Args:
        arguments: The arguments, changed and put back.
        written: What a launch writes.
        flush: Empties the cache.
        typical_ns: About how long a launch takes.
        timer: Times units of work; the device's by default.
    """

    def __init__(
        self,
        arguments: Arguments,
        written: Written,
        flush: Flush,
        typical_ns: float,
        timer: Callable[[Sequence[Unit]], list[int | None]] = times_ns,
    ) -> None:
        self._arguments = arguments
        self._written = written
        self._flush = flush
        self._timer = timer
        self._typical_ns = max(typical_ns, 1.0)
        self._expected: Mapping[str, Any] = {}

    def expect(self, launch: Callable[[], object]) -> Difference | None:
        """Takes what the original writes as right.

        Returns:
            How far a second launch is from the first (additions in no order), or None where nothing
            is known to be written.
        """
        self._expected = self._results(launch)
        if not self._expected:
            return None
        return difference(self._results(launch), self._expected)

    def check(self, row: Row) -> None:
        """Compares what a configuration writes with that, and notes what it fails with."""
        if not self._expected or row.error:
            return
        found: dict[str, Any] = {}

        def collect() -> None:
            found.update(self._results(row.launch))

        if self._done(row, collect):
            row.difference = difference(found, self._expected)

    def quick_ns(self, row: Row) -> float:
        """The median of a few cold launches; infinity where it cannot be launched."""
        times: list[int] = []
        units = [self._unit(row, is_cold=True) for _ in range(self._affordable(_QUICK, 1))]
        self._done(row, lambda: times.extend(filter(None, self._timer(units))))
        return statistics.median(times) if times else math.inf

    def rounds(self, rows: Sequence[Row], rounds: int, launches: int) -> None:
        """Times all rows in each round, so that what changes meanwhile favours none.

        Args:
            rows: Those that can be launched.
            rounds: How often; each begins with another row.
            launches: Of each row in a round, with an empty cache and as many with a full one.
        """
        rows = [row for row in rows if not row.error]
        number = self._affordable(launches, len(rows))
        for turn in range(rounds):
            start = turn * max(1, len(rows) // max(1, rounds)) % max(1, len(rows))
            order = [*rows[start:], *rows[:start]]
            plan = [
                (row, is_cold, self._unit(row, is_cold=is_cold))
                for row in order
                for is_cold in (True, False)
                for _ in range(number)
            ]
            found = self._timer([unit for _, _, unit in plan])
            for (row, is_cold, _), time_ns in zip(plan, found, strict=True):
                if time_ns is not None:
                    (row.cold_ns if is_cold else row.warm_ns).append(time_ns)

    def _affordable(self, wanted: int, rows: int) -> int:
        """Fewer launches of what takes long."""
        # A warm launch has another one before it.
        one = 3 * self._typical_ns + self._flush.bytes_ / 1e12 * _NS
        return max(1, min(wanted, int(_MOST_SESSION_S * _NS / (one * max(1, rows)))))

    def _unit(self, row: Row, *, is_cold: bool) -> Unit:
        def cold() -> None:
            self._arguments.restore()
            self._flush()

        def warm() -> None:
            self._arguments.restore()
            row.launch()
            self._arguments.restore()

        return Unit(row.launch, cold if is_cold else warm)

    def _results(self, launch: Callable[[], object]) -> dict[str, Any]:
        self._arguments.restore()
        self._arguments.poison(self._written.only_written)
        launch()
        tensors = self._arguments.tensors
        return {name: tensors[name].clone() for name in self._written.results}

    @staticmethod
    def _done(row: Row, action: Callable[[], object]) -> bool:
        """Does something with a row; what fails is its error."""
        from inspector.capture.alone.triton_configs import one_line_error
        from inspector.capture.profiling.device import wait

        try:
            action()
            wait()
        except Exception as error:  # noqa: BLE001 - out of resources, say: a row of the result
            row.error = one_line_error(error)
            return False
        return True
