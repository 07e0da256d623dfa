"""Searches the configurations of one kernel: what is timed, in which order, and how often."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.capture.alone.arguments import Arguments, Difference
from inspector.capture.alone.kernels import Launched, run_launcher
from inspector.capture.alone.search import Bench, Row

__all__ = ["difference_fields", "searched", "timed_alone"]

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
    rows: dict[tuple[object, ...], Row] = {}
    until = time.monotonic() + _MOST_SECONDS

    def row_of(built: Any) -> Row:  # noqa: ANN401
        if built.key not in rows:
            rows[built.key] = Row(
                lambda: run_launcher(built.launcher, arguments), error=built.error
            )
            bench.check(rows[built.key])
        return rows[built.key]

    def time_of(built: Any) -> float:  # noqa: ANN401
        if built.key not in rows and (len(rows) >= _MOST_CONFIGS or time.monotonic() > until):
            return float("inf")
        row = row_of(built)
        limit = own.skips_spills_over
        is_spilling = limit is not None and (getattr(built.launcher, "n_spills", 0) or 0) > limit
        return float("inf") if row.error or is_spilling else bench.quick_ns(row)

    chosen = own.build(launcher.config, "chosen", launcher)
    rows[chosen.key] = original
    bench.check(original)
    listed = [own.build(config, "heuristics") for config in own.heuristics]
    measured = {item.key: time_of(item) for item in listed}
    first = min(listed, key=lambda item: measured[item.key], default=chosen)
    autotuned = own.build(own.descend(first.config, time_of), "descent")
    for config in [*own.neighbours(launcher.config), *own.neighbours(autotuned.config)]:
        if len(rows) >= _MOST_CONFIGS or time.monotonic() > until:
            break
        row_of(own.build(config, "search"))
    known = [item for item in own.built.values() if item.key in rows]
    runnable = [item for item in known if not rows[item.key].error]
    bench.rounds([rows[item.key] for item in runnable], _SCREEN_ROUNDS, _SCREEN_LAUNCHES)
    finalists = _finalists(runnable, rows, (chosen.key, autotuned.key, first.key))
    finals = {item.key: Row(rows[item.key].launch) for item in finalists}
    bench.rounds(list(finals.values()), _ROUNDS, _LAUNCHES)
    order = [item.key for item in known]
    return {
        "configs": [
            item.fields()
            | _times(rows[item.key], "")
            | (_times(finals[item.key], "final_") if item.key in finals else {})
            for item in known
        ],
        "chosen": order.index(chosen.key),
        "heuristics_best": order.index(first.key) if first.key in order else None,
        "autotuned": order.index(autotuned.key) if autotuned.key in order else None,
        "is_cut": len(rows) >= _MOST_CONFIGS or time.monotonic() > until,
        "keeps_sizes": own.keeps_sizes,
        "heuristic": own.kind.lower(),
        "lookup": own.lookup_key,
    }


def _finalists(
    runnable: Sequence[Any], rows: Mapping[Any, Row], kept: Sequence[object]
) -> list[Any]:
    """The fastest of those that are correct, cold and warm, and what they are compared with."""
    right = [
        item
        for item in runnable
        if (found := rows[item.key].difference) is None or found.is_correct
    ]

    def fastest(times: Callable[[Row], list[int]]) -> list[Any]:
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
