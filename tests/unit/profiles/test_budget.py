"""Where the time of a call goes: the parts add up."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.events.device_profile import DeviceLaunch, DeviceProfile, ProfiledCall
from inspector.profiles.budget import busy, make_budget

LAUNCHES = (DeviceLaunch("kernel", "a"), DeviceLaunch("kernel", "b"))
PROFILE = DeviceProfile(
    input=0,
    device={},
    plain_ns=(100, 110, 90),
    watched_ns=(120, 120),
    eager_ns=(200, 210, 190),
    eager_work=((4, 150), (4, 160)),
    other_calls=0,
    launches=LAUNCHES,
    calls=(ProfiledCall(120, ((10, 30), (40, 60))), ProfiledCall(120, ((10, 31), (40, 60)))),
    idle_ns={"launching": 30, "guards": 10},
    host=(),
    worked=(),
    memory={},
)


def test_the_parts_are_the_whole() -> None:
    found = make_budget(PROFILE)
    assert (found.wall_ns, found.busy_ns, found.idle_ns) == (100, 40.5, 59.5)
    assert sum(found.causes_ns.values()) == pytest.approx(found.idle_ns)
    assert list(found.causes_ns) == ["launching", "guards"]
    assert found.causes_ns["launching"] == pytest.approx(59.5 * 3 / 4)
    assert found.busy_share == pytest.approx(0.405)
    assert found.slowdown == pytest.approx(1.2)
    assert (found.launches, found.eager_launches, found.eager_busy_ns) == (2, 4, 155)


def test_faster_has_an_interval_that_holds_the_ratio() -> None:
    faster = make_budget(PROFILE).faster
    assert faster is not None
    low, ratio, high = faster
    assert ratio == 2
    assert low < ratio < high


def test_what_overlaps_counts_once() -> None:
    assert busy(ProfiledCall(100, ((0, 10), (5, 20), (30, 40)))) == 30
    assert busy(ProfiledCall(100, ())) == 0


def test_without_causes_idle_time_is_not_explained() -> None:
    found = make_budget(dataclasses.replace(PROFILE, idle_ns={}))
    assert found.causes_ns == {"unknown": found.idle_ns}


def test_nothing_measured_is_nothing() -> None:
    empty = dataclasses.replace(
        PROFILE, plain_ns=(), watched_ns=(), eager_ns=(), eager_work=(), calls=(), idle_ns={}
    )
    found = make_budget(empty)
    assert (found.wall_ns, found.busy_share, found.faster, found.eager_ns) == (0, 0, None, None)
    assert found.causes_ns == {}
