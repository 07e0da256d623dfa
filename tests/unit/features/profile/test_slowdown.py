"""The difference between compiled and eager calls, by cause: it adds up."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.profile.budget import make_budget
from inspector.features.profile.slowdown import COPIES, LAUNCHES, WORK, Slowdown, make_slowdown
from inspector.records.device_profile import DeviceLaunch, DeviceProfile, ProfiledCall
from tests.unit.features.profile.test_budget import PROFILE

# Of 300 ns the device works 40, a copy of 10 with them; eager 30 of 200, a copy of 4.
SLOWER = dataclasses.replace(
    PROFILE,
    plain_ns=(300,) * 5,
    eager_ns=(200,) * 5,
    launches=(DeviceLaunch("kernel", "a"), DeviceLaunch("memcpy", "b")),
    calls=(ProfiledCall(320, ((10, 40), (50, 60))),) * 3,
    eager_work=((4, 30),) * 3,
    eager_copies=((1, 4),) * 3,
    idle_ns={"guards": 100, "launching": 60, "outside": 20, "graph-break": 80},
    eager_idle_ns={"outside": 300, "end": 40},
)


def gap_of(profile: DeviceProfile) -> Slowdown:
    found = make_slowdown(profile, make_budget(profile))
    assert found is not None
    return found


def parts_of(gap: Slowdown) -> dict[str, tuple[float, float]]:
    return {part.cause: (part.compiled_ns, part.eager_ns) for part in gap.parts}


def test_causes_of_both_kinds_of_calls_are_compared_and_add_up() -> None:
    gap = gap_of(SLOWER)
    assert gap.whole_ns == pytest.approx(100)
    parts = parts_of(gap)
    assert parts[WORK] == (30, 26)
    assert parts[COPIES] == (10, 4)
    assert parts["guards"] == pytest.approx((100, 0))
    assert parts["graph-break"] == pytest.approx((80, 0))
    assert parts[LAUNCHES] == pytest.approx((20 + 60, 150))
    assert parts["end"] == pytest.approx((0, 20))
    assert [part.cause for part in gap.parts][:4] == [WORK, COPIES, "guards", "graph-break"]
    assert sum(part.more_ns for part in gap.parts) == pytest.approx(100)
    assert gap.rest_ns == pytest.approx(0)


def test_on_the_cpu_work_is_in_proportion_to_the_watched_calls() -> None:
    # Under the profiler work takes longer, too: half of 320 ns is half of 300.
    cpu = dataclasses.replace(
        SLOWER,
        device={"kind": "cpu"},
        launches=(DeviceLaunch("cpu", "a"), DeviceLaunch("cpu", "b")),
        calls=(ProfiledCall(320, ((0, 100), (200, 260))),) * 3,
        eager_work=((4, 250),) * 3,
        eager_watched_ns=(400,) * 3,
        eager_copies=((0, 0),) * 3,
    )
    parts = parts_of(gap_of(cpu))
    assert parts[WORK] == pytest.approx((150, 125))
    assert COPIES not in parts
    assert LAUNCHES not in parts
    assert sum(part.more_ns for part in gap_of(cpu).parts) == pytest.approx(100)
