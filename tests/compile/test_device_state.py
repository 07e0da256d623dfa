"""What is written of the machine's state around a profile."""

from __future__ import annotations

import pytest

from inspector.capture.profiling import profiles
from inspector.records.ceilings import DeviceState

pytestmark = pytest.mark.compile
FIELDS = {"v", "input", "before", "after", "elapsed_ns", "missing", "others_percent"}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[DeviceState]:
    found: list[DeviceState] = []
    monkeypatch.setattr(profiles, "emit", found.append)
    return found


def test_of_a_gpu_the_most_that_others_had_before_or_after_counts(
    written: list[DeviceState], monkeypatch: pytest.MonkeyPatch
) -> None:
    states = iter([({"clocks.sm": "1980"}, ""), ({"clocks.sm": "1200"}, "power unknown")])
    others = iter([30, None])
    monkeypatch.setattr(profiles, "_device_state", lambda: next(states))
    monkeypatch.setattr(profiles, "_others_percent", lambda: next(others))

    with profiles._gpu_watched(0):
        pass

    (state,) = written
    assert state.before == {"clocks.sm": "1980"}
    assert state.after == {"clocks.sm": "1200"}
    assert (state.missing, state.others_percent) == ("power unknown", 30)
