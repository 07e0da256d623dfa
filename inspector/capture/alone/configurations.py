"""Searches the configurations of one kernel: what is timed, in which order, and how often."""

from __future__ import annotations

import dataclasses
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.capture.alone.arguments import Arguments, Difference
from inspector.capture.alone.kernels import Launched, run_launcher
from inspector.capture.alone.search import Bench, Row

if TYPE_CHECKING:  # it imports Triton
    from inspector.capture.alone.triton_configs import Built, Configurations

_ROUNDS = 10
_LAUNCHES = 10
_SCREEN_ROUNDS = 3
_SCREEN_LAUNCHES = 4
_FINALISTS = 3
_MOST_CONFIGS = 64
_MOST_SECONDS = 150.0


def timed_alone(taken: Launched, bench: Bench, original: Row) -> dict[str, object]:
    """Times the kernel as the program runs it, and no other configuration."""
    bench.rounds([original], _ROUNDS, _LAUNCHES)
    return _of_chosen(taken) | _times(original, "")


def searched(
    taken: Launched, arguments: Arguments, bench: Bench, original: Row
) -> dict[str, object]:
    """Times the kernel's own configurations, those that autotuning comes to, and their neighbours.

    Torch's coordinate descent runs on our times of launches with an empty cache, which is what it
    times itself.

    Args:
        taken: A launch of the kernel, which autotuning has prepared.
        arguments: What it is launched with.
        bench: Times it, and checks what it writes.
        original: The kernel as the program runs it.

    Returns:
        The fields of the payload: the configurations with their times, and places among them.
    """
    from inspector.capture.alone.triton_configs import Configurations, chosen_launcher

    launcher = chosen_launcher(taken.autotuner)
    try:
        own = Configurations(taken.autotuner)
    except Exception as error:  # noqa: BLE001 - the source is gone, or is of another torch
        return {
            "configs": [timed_alone(taken, bench, original)],
            "not_searched": f"its configurations could not be made: {error}",
        }
    chosen = own.build(launcher.config, "chosen", launcher)
    return _Search(own, arguments, bench, chosen, original).fields()


class _Search:
    """The search of one kernel's configurations: those that have a row take part in it.

    Args:
        own: Compiles them.
        arguments: What each is launched with.
        bench: Times them, and checks what they write.
        chosen: What the program runs.
        original: Its row.
    """

    def __init__(
        self,
        own: Configurations,
        arguments: Arguments,
        bench: Bench,
        chosen: Built,
        original: Row,
    ) -> None:
        self._own = own
        self._arguments = arguments
        self._bench = bench
        self._chosen = chosen
        self._until = time.monotonic() + _MOST_SECONDS
        self._rows: dict[tuple[object, ...], Row] = {chosen.key: original}
        bench.check(original)

    def fields(self) -> dict[str, object]:
        """Searches, and says what was found, as the payload has it."""
        first = self._first()
        autotuned = self._own.build(self._own.descend(first.config, self._quick_ns), "descent")
        self._look_around(autotuned)
        rows = self._rows
        known = [item for item in self._own.built.values() if item.key in rows]
        finals = self._timed(known, (self._chosen.key, autotuned.key, first.key))
        order = [item.key for item in known]
        return {
            "configs": [
                item.fields()
                | _times(rows[item.key], "")
                | (_times(finals[item.key], "final_") if item.key in finals else {})
                for item in known
            ],
            "chosen": order.index(self._chosen.key),
            "heuristics_best": order.index(first.key) if first.key in order else None,
            "autotuned": order.index(autotuned.key) if autotuned.key in order else None,
            "is_cut": self._is_over(),
            "keeps_sizes": self._own.keeps_sizes,
            "heuristic": self._own.kind.lower(),
            "lookup": self._own.lookup_key,
        }

    def _is_over(self) -> bool:
        return len(self._rows) >= _MOST_CONFIGS or time.monotonic() > self._until

    def _row(self, built: Built) -> Row:
        """The configuration's row; it takes part from now on."""
        if built.key not in self._rows:
            row = Row(lambda: run_launcher(built.launcher, self._arguments), error=built.error)
            self._rows[built.key] = row
            self._bench.check(row)
        return self._rows[built.key]

    def _quick_ns(self, built: Built) -> float:
        """About how long it takes; infinity for what autotuning would not take, or not reach."""
        if built.key not in self._rows and self._is_over():
            return math.inf
        row = self._row(built)
        limit = self._own.skips_spills_over
        is_spilling = limit is not None and (getattr(built.launcher, "n_spills", 0) or 0) > limit
        return math.inf if row.error or is_spilling else self._bench.quick_ns(row)

    def _first(self) -> Built:
        """The fastest of those that the heuristics list: where coordinate descent begins."""
        listed = [self._own.build(config, "heuristics") for config in self._own.heuristics]
        measured = {item.key: self._quick_ns(item) for item in listed}
        return min(listed, key=lambda item: measured[item.key], default=self._chosen)

    def _look_around(self, autotuned: Built) -> None:
        """Lets the neighbours take part of what runs and of what autotuning comes to."""
        own = self._own
        for config in [
            *own.neighbours(self._chosen.config),
            *own.neighbours(autotuned.config),
        ]:
            if self._is_over():
                return
            self._row(own.build(config, "search"))

    def _timed(self, known: Sequence[Built], kept: Sequence[object]) -> dict[object, Row]:
        """Times all a few times, and the fastest and those to keep once more, often."""
        rows, bench = self._rows, self._bench
        runnable = [item for item in known if not rows[item.key].error]
        bench.rounds([rows[item.key] for item in runnable], _SCREEN_ROUNDS, _SCREEN_LAUNCHES)
        finalists = _finalists(runnable, rows, kept)
        finals: dict[object, Row] = {item.key: Row(rows[item.key].launch) for item in finalists}
        bench.rounds(list(finals.values()), _ROUNDS, _LAUNCHES)
        return finals


def _finalists(
    runnable: Sequence[Built], rows: Mapping[tuple[object, ...], Row], kept: Sequence[object]
) -> list[Built]:
    """The fastest of those that are correct, cold and warm, and what they are compared with."""
    right = [
        item
        for item in runnable
        if (found := rows[item.key].difference) is None or found.is_correct
    ]

    def fastest(times: Callable[[Row], list[int]]) -> list[Built]:
        timed = [item for item in right if times(rows[item.key])]
        return sorted(timed, key=lambda item: statistics.median(times(rows[item.key])))[:_FINALISTS]

    best = {item.key for item in [*fastest(lambda row: row.cold_ns),
                                  *fastest(lambda row: row.warm_ns)]}  # fmt: skip
    return [item for item in runnable if item.key in best or item.key in kept]


def _of_chosen(taken: Launched) -> dict[str, object]:
    """The configuration that the program runs, as far as there is one."""
    if taken.autotuner is None:
        return {"source": "chosen"}
    from inspector.capture.alone.triton_configs import Built, chosen_launcher

    launcher = chosen_launcher(taken.autotuner)
    return Built(launcher.config, "chosen", launcher).fields()


def _times(row: Row, stage: str) -> dict[str, object]:
    found: dict[str, object] = {f"{stage}cold_ns": row.cold_ns, f"{stage}warm_ns": row.warm_ns}
    if row.difference is not None:
        found["difference"] = difference_fields(row.difference)
    return found | ({"error": row.error} if row.error else {})


def difference_fields(item: Difference) -> dict[str, object]:
    """How far results are from the original's, as the payload has it."""
    return {**dataclasses.asdict(item), "is_correct": item.is_correct}
