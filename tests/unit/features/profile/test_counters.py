"""Nsight Compute's table, as an H200 printed it (ncu 2025.3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.features.profile.nsight_compute import (
    METRICS,
    counted_kernels,
    forbidden,
    no_kernels,
    read_counters,
    write_counters,
)

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


def test_that_nothing_was_counted_is_said_in_its_words() -> None:
    assert no_kernels("==ERROR== ERR_NVGPUCTRPERM\n").startswith("this user may not read")
    text = (
        "==PROF== Connected\n==WARNING== No kernels were profiled.\n==WARNING== Range not found.\n"
    )
    assert no_kernels(text) == (
        "Nsight Compute counted no kernel: No kernels were profiled; Range not found"
    )
    assert no_kernels("") == "Nsight Compute saw no kernel in the call that it was to count"


def test_they_are_kept_in_the_recording(tmp_path: Path) -> None:
    kernels = counted_kernels(TEXT)
    write_counters(tmp_path, kernels)
    assert read_counters(tmp_path) == kernels
    (tmp_path / "counters.json").write_text("[")
    assert read_counters(tmp_path) == []
    assert read_counters(tmp_path / "none") == []
