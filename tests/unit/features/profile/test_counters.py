"""Nsight Compute's table, as an H200 printed it (ncu 2025.3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.features.profile.kernel_timing import kernel_timings
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.nsight_compute import (
    METRICS,
    counted_kernels,
    counter_texts,
    forbidden,
    read_counters,
    with_counters,
    write_counters,
)
from inspector.records.device_profile import CountedKernel, DeviceLaunch

TEXT = (Path(__file__).resolve().parents[2] / "data" / "ncu.csv").read_text("utf-8")


def test_kernels_have_numbers_without_commas() -> None:
    softmax, product = counted_kernels(TEXT)
    assert softmax.name == "triton_red_fused__softmax_add_exp_mul_prepare_softmax_online_sub_0"
    assert softmax.values["gpu__time_duration.sum"] == 88_672
    assert softmax.values["dram__bytes.sum"] == 246_381_312
    assert product.name.startswith("nvjet_sm90")
    assert product.values["sm__throughput.avg.pct_of_peak_sustained_elapsed"] == 90.41
    assert set(softmax.values) <= set(METRICS)
    assert forbidden(TEXT) == ""


@pytest.mark.parametrize("text", ["", "==PROF== nothing\n", '"a","b"\n"",""\n', '"Kernel Name"\n'])
def test_no_table_is_no_kernel(text: str) -> None:
    assert counted_kernels(text) == []


def test_why_there_are_none_is_said() -> None:
    text = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters.\n"
    assert "may not read the GPU's counters" in forbidden(text)
    assert forbidden("==ERROR== The application returned an error code (9).\n") == (
        "The application returned an error code (9)"
    )


def test_they_are_kept_in_the_recording(tmp_path: Path) -> None:
    kernels = counted_kernels(TEXT)
    write_counters(tmp_path, kernels)
    assert read_counters(tmp_path) == kernels
    (tmp_path / "counters.json").write_text("[")
    assert read_counters(tmp_path) == []
    assert read_counters(tmp_path / "none") == []


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
        "DRAM 2.0 MB", "SM 79 %", "main stall: memory (2.4 stalled warps per issue cycle)",
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
