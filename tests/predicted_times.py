"""Predicted against measured times of the recorded kernels."""

from __future__ import annotations

import dataclasses
import statistics

from inspector.features.kernels.binary.predict import predict
from inspector.run.kernel_facts import Bound, Prediction
from inspector.shared.kernel_build import ConfigBuild
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
            (statistics.median(config["times_ns"]), at)
            for at, config in enumerate(row["configs"])
            if config["times_ns"]
        ]
        if not times:
            continue
        measured_ns, best = min(times)
        known, grid = arguments_of(row, build)
        config = build.configs[best]
        if not config.grid and len(grid) == 3:
            config = dataclasses.replace(config, grid=tuple(grid))
        prediction = predict(texts[best], config, H200, known)
        if prediction.time_ns is not None:
            compared.append(
                Compared(row["module"], build.name, build.configs[best], measured_ns, prediction)
            )
    return compared


def error_of_memory_bound(compared: list[Compared]) -> tuple[float, int]:
    """Median error of memory-bound kernels above 10 us, and how many they are."""
    errors = [
        abs(item.error)
        for item in compared
        if item.measured_ns > LONG_NS and item.prediction.bound is Bound.MEMORY
    ]
    return statistics.median(errors), len(errors)
