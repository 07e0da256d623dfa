"""Counters find the launches of another run."""

from __future__ import annotations

from inspector.events.counted import CountedKernel
from inspector.events.device_profile import DeviceLaunch
from inspector.profiles.counted import counter_texts, with_counters
from inspector.profiles.timed import TimedLaunch
from inspector.profiles.work import all_work

GEMM = "void gemmSN_TN_kernel<float, 128, 16>(cublasGemmSmallNParams<float>)"
VALUES = {
    "dram__bytes.sum": 2e6,
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": 79.16,
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": 2.41,
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": 1.1,
}


def launch(name: str, kind: str = "kernel") -> TimedLaunch:
    return TimedLaunch(DeviceLaunch(kind, name), (1000,))


def test_the_same_kernels_in_the_same_order() -> None:
    launches = [launch("a"), launch("Memcpy", "memcpy"), launch(GEMM), launch("a")]
    counted = [
        CountedKernel("a", {"x": 1}),
        CountedKernel("gemmSN_TN_kernel", VALUES),
        CountedKernel("a", {"x": 3}),
    ]
    found = with_counters(launches, counted)
    assert [dict(item.counters) for item in found] == [{"x": 1}, {}, VALUES, {"x": 3}]


def test_what_is_missing_there_has_no_counters() -> None:
    found = with_counters([launch("a"), launch("b")], [CountedKernel("b", {"x": 1})])
    assert [dict(item.counters) for item in found] == [{}, {"x": 1}]
    assert with_counters([launch("a")], [])[0].counters == {}


def test_they_are_told_in_words() -> None:
    (work,) = all_work(with_counters([launch(GEMM)], [CountedKernel(GEMM, VALUES)]), None, 0)
    assert list(counter_texts(work)) == [
        "DRAM 2.0 MB", "SM 79 %", "warps wait most for memory (2.4 of each that issues)",
    ]  # fmt: skip
    (bare,) = all_work([launch("a")], None, 0)
    assert list(counter_texts(bare)) == []
