"""Predicted against measured times of the recorded kernels."""

from __future__ import annotations

import dataclasses
import statistics
from typing import Any

from inspector.features.kernels.binary.predict import predict
from inspector.run.kernel_prediction import Bound, Prediction
from inspector.shared.kernel_build import ConfigBuild, KernelBuild
from tests.builds_fixture import H200, arguments_of, recorded_pairs

LONG_NS = 10_000


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """The configuration that the device would choose, predicted and measured."""

    program: str
    kernel: str
    config: ConfigBuild
    measured_ns: float
    prediction: Prediction

    @property
    def error(self) -> float:
        """Predicted over measured, less one."""
        return (self.prediction.time_ns or 0) / self.measured_ns - 1


def compare() -> list[Compared]:
    """Every kernel that was timed and can be predicted."""
    compared = []
    for row, build, texts in recorded_pairs():
        times = [
            statistics.median(config["times_ns"]) if config["times_ns"] else None
            for config in row["configs"]
        ]
        known_times = [time for time in times if time is not None]
        if not known_times:
            continue
        best = times.index(min(known_times))
        prediction = _predicted(row, build, build.configs[best], texts[best])
        if prediction.time_ns is not None:
            compared.append(
                Compared(
                    row["module"], build.name, build.configs[best], min(known_times), prediction
                )
            )
    return compared


def _predicted(
    row: dict[str, Any], build: KernelBuild, config: ConfigBuild, texts: dict[str, str]
) -> Prediction:
    known, grid = arguments_of(row, build)
    if not config.grid and len(grid) == 3:
        config = dataclasses.replace(config, grid=tuple(grid))
    return predict(texts, config, H200, known)


def error_of_memory_bound(compared: list[Compared]) -> tuple[float, int]:
    """Median error of memory-bound kernels above 10 us, and how many they are."""
    errors = [
        abs(item.error)
        for item in compared
        if item.measured_ns > LONG_NS and item.prediction.bound is Bound.MEMORY
    ]
    return statistics.median(errors), len(errors)
