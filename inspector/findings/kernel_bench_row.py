"""The configurations of a kernel that was timed alone, beside what the program runs."""

from __future__ import annotations

import dataclasses

from inspector.events.kernel_bench import BenchedConfig, InspectorKernelBench
from inspector.profiles.alone import (
    COLD,
    WARM,
    BenchGain,
    InPlace,
    Measured,
    best_of,
    gain_of,
    measured,
    times_of,
)


@dataclasses.dataclass(frozen=True, slots=True)
class BenchRow:
    """A configuration.

    Attributes:
        config: The configuration.
        cold: Its times with an empty cache, or None.
        warm: Its times right after another launch, or None.
        gain: What it would change, by the times that are nearer to those in place; or None.
        is_chosen: Whether the program runs it.
        is_autotuned: Whether autotuning would come to it.
        is_best: Whether it is the fastest that was found; where none is faster beyond noise, that
            is what the program runs.
    """

    config: BenchedConfig
    cold: Measured | None
    warm: Measured | None
    gain: BenchGain | None
    is_chosen: bool
    is_autotuned: bool
    is_best: bool

    @property
    def is_wrong(self) -> bool:
        """Whether it writes something else than what the program runs."""
        found = self.config.difference
        return found is not None and not found.is_correct

    @property
    def is_timed_again(self) -> bool:
        """Whether it was timed in the second run, too."""
        return bool(self.config.final_cold_ns or self.config.final_warm_ns)


def bench_rows(
    bench: InspectorKernelBench, regime: str, in_place: InPlace | None
) -> list[BenchRow]:
    """The configurations, the fastest first; what did not run, or is wrong, comes last.

    Args:
        bench: The benchmark.
        regime: ``cold`` or ``warm``: by which times they are compared.
        in_place: The launches in a call, or None.
    """
    best = best_of(bench, regime) if bench.has_configs else None
    rows = []
    for number, config in enumerate(bench.configs):
        cold, warm = (
            measured(times_of(config, name, final=True) or times_of(config, name))
            for name in (COLD, WARM)
        )
        rows.append(
            BenchRow(
                config=config,
                cold=cold,
                warm=warm,
                gain=gain_of(bench, number, regime, in_place) if not config.error else None,
                is_chosen=number == bench.chosen,
                is_autotuned=bench.has_configs and number == bench.autotuned,
                is_best=number == best,
            )
        )
    return sorted(rows, key=_order)


def _order(row: BenchRow) -> tuple[int, float]:
    last = 2 if row.config.error else int(row.is_wrong)
    return last, -row.gain.ratio if row.gain is not None else 0.0
