"""What the machine can do, in words."""

from __future__ import annotations

import pytest

from inspector.features.profile.ceiling_wording import (
    ceiling_lines,
    held_back,
    others_notice,
    slowed_by,
    throttled_notice,
)
from inspector.records.ceilings import Ceilings, DeviceState

MEASURED_S = 1795349640
STATE = {
    "driver_version": "580.159",
    "clocks.sm": "1965",
    "clocks.max.sm": "1980",
    "power.draw": "253.51",
    "power.limit": "700.00",
    "temperature.gpu": "39",
    "clocks_event_reasons.active": "0x0000000000000004",
}
H200 = Ceilings(
    device="NVIDIA H200",
    values={
        "copy_bytes_per_s": 4.06e12,
        "host_to_device_bytes_per_s": 54.7e9,
        "float32_flops_per_s": 50.5e12,
        "bfloat16_flops_per_s": 742e12,
        "kernel_floor_ns": 990,
        "l2_bytes_per_s": 5.86e12,
    },
    state=STATE,
    measured_at_s=MEASURED_S,
    is_cached=True,
    missing={
        "float8_flops_per_s": "needs compute capability 8.9, here is 8.0",
        "int8_flops_per_s": "out of memory",
    },
    unstable={"copy_bytes_per_s": 0.124},
    took_ns=4_200_000_000,
)


def lines(ceilings: Ceilings) -> dict[str, str]:
    return dict(ceiling_lines(ceilings))


def test_all_of_it_is_said() -> None:
    assert lines(H200) == {
        "memory": "copied 4.06 TB/s (unstable, ±12%), L2 cache 5.86 TB/s",
        "host to GPU": "54.7 GB/s",
        "matrix products": "float32 50.5, bfloat16 742 TFLOP/s",
        "an empty kernel": "0.99 µs",
        "meanwhile": (
            "SM clock 1,965 of 1,980 MHz, power 254 of 700 W, 39 °C, slowed by: software power cap"
        ),
        "measured": "on 2026-11-22, in 4.2 s",
        "not measured": "float8 (needs compute capability 8.9, here is 8.0); int8 (out of memory)",
    }


def test_a_cpu_has_threads() -> None:
    found = Ceilings(
        "cpu",
        {"copy_bytes_per_s": 2e10, "float32_flops_per_s": 3.45e11, "bfloat16_flops_per_s": 6.3e8},
        {}, MEASURED_S, is_cached=False, facts={"threads": 2, "processors": 4},
    )  # fmt: skip
    assert lines(found) == {
        "memory": "copied 20.0 GB/s",
        "matrix products": "float32 345, bfloat16 0.63 GFLOP/s",
        "with": "2 threads on 4 processors",
        "measured": "with this recording",
    }


@pytest.mark.parametrize(
    ("mask", "reasons"),
    [
        ("0x0000000000000000", ()),
        ("0x0000000000000001", ()),
        ("0x0000000000000004", ("software power cap",)),
        ("0x0000000000000065", ("software power cap", "software thermal slowdown",
                                "hardware thermal slowdown")),
        ("0x0000000000001002", ("an application clocks setting", "an unknown reason (0x1000)")),
        ("Active", ()),
    ],
)  # fmt: skip
def test_bits_are_reasons(mask: str, reasons: tuple[str, ...]) -> None:
    assert slowed_by({"clocks_event_reasons.active": mask}) == reasons
    assert slowed_by({"clocks_throttle_reasons.active": mask}) == reasons


def state(before: dict[str, str], after: dict[str, str]) -> DeviceState:
    return DeviceState(0, before, after, 10_000_000_000, "")


def test_a_profile_of_a_slow_gpu_says_for_how_long() -> None:
    name = "clocks_event_reasons_counters.sw_power_cap"
    thermal = "clocks_event_reasons_counters.hw_thermal_slowdown"
    found = state({name: "100", thermal: "5"}, {**STATE, name: "1200100", thermal: "5"})
    assert held_back(found) == {"software power cap": pytest.approx(0.12)}
    assert throttled_notice(found) == (
        "the GPU was throttled by software power cap (12% of the time); clocks right "
        "after: SM clock 1,965 of 1,980 MHz, power 254 of 700 W, 39 °C"
    )


def test_without_counters_the_reasons_after_count() -> None:
    found = state({}, STATE)
    assert held_back(found) == {"software power cap": None}
    assert throttled_notice(found).startswith(
        "the GPU was throttled by software power cap; clocks right after: SM clock"
    )
    assert throttled_notice(state({}, {})) == ""


def test_another_program_on_the_gpu_is_said() -> None:
    for others, is_said in ((None, False), (0, False), (10, False), (11, True), (100, True)):
        state = DeviceState(0, {}, {}, 10, "", others)
        said = others_notice(state)
        assert bool(said) is is_said
        assert not said or f"used the GPU {others}% of the time" in said
