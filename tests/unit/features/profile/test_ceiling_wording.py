"""What the machine can do, in words."""

from __future__ import annotations

import pytest

from inspector.features.profile.ceiling_wording import held_back, slowed_by, throttled_notice
from inspector.records.ceilings import DeviceState

STATE = {
    "driver_version": "580.159",
    "clocks.sm": "1965",
    "clocks.max.sm": "1980",
    "power.draw": "253.51",
    "power.limit": "700.00",
    "temperature.gpu": "39",
    "clocks_event_reasons.active": "0x0000000000000004",
}


@pytest.mark.parametrize(
    ("mask", "reasons"),
    [
        ("0x0000000000000000", ()),
        ("0x0000000000000001", ()),
        ("0x0000000000000004", ("software power cap",)),
        ("0x0000000000000065", ("software power cap", "software thermal slowdown",
                                "hardware thermal slowdown")),
        ("0x0000000000001002", ("application clocks setting", "an unknown reason (0x1000)")),
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
        "the GPU was throttled by software power cap (12% of the time); clocks "
        "afterwards: SM clock 1,965 of 1,980 MHz, power 254 of 700 W, 39 °C"
    )


def test_without_counters_the_reasons_after_count() -> None:
    found = state({}, STATE)
    assert held_back(found) == {"software power cap": None}
    assert throttled_notice(found).startswith(
        "the GPU was throttled by software power cap; clocks afterwards: SM clock"
    )
    assert throttled_notice(state({}, {})) == ""
