"""Counters find the launches of another run."""

from __future__ import annotations

from inspector.features.profile.kernel_timing import kernel_timings
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.nsight_compute import counter_texts, with_counters
from inspector.records.device_profile import CountedKernel, DeviceLaunch

GEMM = "void gemmSN_TN_kernel<float, 128, 16>(cublasGemmSmallNParams<float>)"
VALUES = {
    "dram__bytes.sum": 2e6,
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": 79.16,
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": 2.41,
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": 1.1,
}


def launch(name: str, kind: str = "kernel") -> LaunchTiming:
    return LaunchTiming(DeviceLaunch(kind, name), ((0, 1000),))


def test_the_same_kernels_in_the_same_order() -> None:
    launches = [launch("a"), launch("Memcpy", "memcpy"), launch(GEMM), launch("a")]
    counted = [
        CountedKernel("a", {"x": 1}),
        CountedKernel("gemmSN_TN_kernel", VALUES),
        CountedKernel("a", {"x": 3}),
    ]
    found = with_counters(launches, counted)
    assert [dict(item.counters) for item in found] == [{"x": 1}, {}, VALUES, {"x": 3}]


def test_they_are_told_in_words() -> None:
    (work,) = kernel_timings(with_counters([launch(GEMM)], [CountedKernel(GEMM, VALUES)]), None, 0)
    assert list(counter_texts(work)) == [
        "DRAM 2.0 MB", "SM 79 %", "warps wait most for memory (2.4 of each that issues)",
    ]  # fmt: skip
    (bare,) = kernel_timings([launch("a")], None, 0)
    assert list(counter_texts(bare)) == []


def test_equal_names_are_told_by_their_grids() -> None:
    """Layers are not shifted where one kernel was not counted."""
    launches = [
        LaunchTiming(DeviceLaunch("kernel", "a", grid=(size, 1, 1), block=(32, 1, 1)), ((0, 1000),))
        for size in (1, 2, 3)
    ]
    counted = [CountedKernel("a", {"x": size}, (size, 1, 1), (32, 1, 1)) for size in (2, 3)]
    found = with_counters(launches, counted)
    assert [dict(item.counters) for item in found] == [{}, {"x": 2}, {"x": 3}]
