"""Predicted against measured times on an H200: the table of all recorded kernels.

python benchmarks/predicted_times.py

``benchmarks/exactness/record_builds.py`` recorded the times (torch 2.11, Triton 3.6; median of
seven launches with a cold L2 cache, from the profiler); the predictions are made now, from what
the same versions compile without a GPU.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.predicted_times import LONG_NS, compare, error_of_memory_bound


def main() -> None:
    """Prints the table, the largest errors last."""
    compared = compare()
    print("| program | kernel | measured us | predicted us | error | bound | unit |")
    print("| --- | --- | ---: | ---: | ---: | --- | --- |")
    for item in sorted(compared, key=lambda item: abs(item.error)):
        if item.measured_ns > LONG_NS:
            prediction = item.prediction
            print(
                f"| {item.program} | {item.kernel} | {item.measured_ns / 1e3:.1f} "
                f"| {(prediction.time_ns or 0) / 1e3:.1f} | {item.error:+.0%} "
                f"| {prediction.bound.value} | {prediction.unit} |"
            )
    error, count = error_of_memory_bound(compared)
    print(f"\nmemory-bound kernels above 10 us: {count}, median error {error:.1%}")


if __name__ == "__main__":
    main()
