"""What is written of the machine's state around a profile."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.capture.profiling import profiles
from inspector.events.ceilings import InspectorDeviceState

pytestmark = pytest.mark.compile
FIELDS = {"v", "input", "before", "after", "elapsed_ns", "missing", "others_percent"}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(profiles, "write_artifact", lambda _, fields: found.append(fields))
    return found


def test_of_a_gpu_the_most_that_others_had_before_or_after_counts(
    written: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    states = iter([({"clocks.sm": "1980"}, ""), ({"clocks.sm": "1200"}, "power unknown")])
    others = iter([30, None])
    monkeypatch.setattr(profiles, "uses_cuda", lambda: True)
    monkeypatch.setattr(profiles, "_device_state", lambda: next(states))
    monkeypatch.setattr(profiles, "_others_percent", lambda: next(others))

    with profiles._device_watched(0):
        pass

    (fields,) = written
    assert fields.keys() == FIELDS
    assert fields["before"] == {"clocks.sm": "1980"}
    assert fields["after"] == {"clocks.sm": "1200"}
    assert (fields["missing"], fields["others_percent"]) == ("power unknown", 30)
    assert FIELDS - {"v"} == set(InspectorDeviceState.__dataclass_fields__)
