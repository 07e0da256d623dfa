"""What the machine can do, in words."""

from __future__ import annotations

import pytest

from inspector.features.profile.ceiling_wording import held_back, throttled_notice
from inspector.records.ceilings import DeviceState


def state(before: dict[str, str], after: dict[str, str]) -> DeviceState:
    return DeviceState(0, before, after, 10_000_000_000, "")


def test_a_profile_of_a_slow_gpu_says_for_how_long() -> None:
    name = "clocks_event_reasons_counters.sw_power_cap"
    thermal = "clocks_event_reasons_counters.hw_thermal_slowdown"
    found = state({name: "100", thermal: "5"}, {name: "1200100", thermal: "5"})
    assert held_back(found) == {"software power cap": pytest.approx(0.12)}
    assert throttled_notice(found) == (
        "the GPU was throttled by software power cap (12% of the time)"
    )
    assert throttled_notice(state({}, {"clocks.sm": "1965"})) == ""
