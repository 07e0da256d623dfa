"""What calls of a profile take with kept memory."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.events.device_profile import DeviceProfile, TimedBlock
from inspector.events.kept_memory import InspectorKeptMemory
from inspector.profiles.budget import make_budget
from inspector.profiles.faults import Faults, fault_gains
from inspector.profiles.kept import KeptCalls, kept_calls
from tests.unit.profiles.test_budget import in_blocks

US = 1000
PROFILE = dataclasses.replace(
    in_blocks([[100 * US] * 2] * 4, [[300 * US] * 2] * 4),
    page_faults=(80,) * 8,
    eager_page_faults=(500,) * 8,
    fresh_page={"touch_ns": 300, "free_ns": 100, "page_bytes": 4096},
)


def kept(
    plain_us: list[int], eager_us: list[int], mapped: int | None = 0, after: int = 2
) -> InspectorKeptMemory:
    """One block of two calls of each kind in a round."""
    times = {"plain": plain_us, "eager": eager_us}
    return InspectorKeptMemory(
        0,
        tuple(
            TimedBlock(kind, number, (time_us * US, time_us * US))
            for kind, each in times.items()
            for number, time_us in enumerate(each)
        ),
        page_faults=(after,) * 8,
        eager_page_faults=(after,) * 8,
        mapped_faults=mapped,
        eager_mapped_faults=mapped,
    )


def found(profile: DeviceProfile, again: InspectorKeptMemory | None) -> KeptCalls:
    calls = kept_calls(profile, again)
    assert calls is not None
    return calls


def test_the_ratio_is_that_of_its_own_rounds() -> None:
    calls = found(PROFILE, kept([80, 82, 80, 82], [120, 123, 120, 123]))
    assert calls.faster[1] == pytest.approx(1.5)
    assert calls.faster[0] <= 1.5 <= calls.faster[2]
    assert calls.wall_ns == pytest.approx(81 * US, rel=1e-3)
    assert calls.eager_ns == pytest.approx(121.5 * US, rel=1e-3)


def test_nothing_is_known_of_what_was_not_timed_or_not_kept() -> None:
    assert kept_calls(PROFILE, None) is None
    assert kept_calls(PROFILE, kept([80, 80], [120, 120])) is None  # too few rounds
    assert kept_calls(PROFILE, kept([80] * 4, [120] * 3 + [0])) is not None
    assert kept_calls(PROFILE, kept([80] * 4, [120] * 4, after=300)) is None  # another allocator
    older = dataclasses.replace(PROFILE, eager_page_faults=())
    assert kept_calls(older, kept([80] * 4, [120] * 4)) is None


def test_it_is_chance_where_large_blocks_are_few_of_it() -> None:
    for mapped, is_chance in ((0, True), (90, True), (110, False), (500, False), (None, False)):
        calls = found(PROFILE, kept([80] * 4, [120] * 4, mapped))
        assert calls.is_chance is is_chance, mapped
    few = dataclasses.replace(PROFILE, page_faults=(3,) * 8, eager_page_faults=(10,) * 8)
    assert not found(few, kept([80] * 4, [120] * 4)).is_chance  # of 4 us of 300 nobody knows


def test_the_gain_is_what_was_measured() -> None:
    faults = Faults(300, 100, 4096)
    (estimated,) = fault_gains(make_budget(PROFILE), faults)
    assert estimated.time_ns == 80 * 400
    calls = found(PROFILE, kept([75] * 4, [120] * 4))
    (measured,) = fault_gains(make_budget(PROFILE, calls), faults)
    assert measured.time_ns == pytest.approx(25 * US)
    assert "measured" in measured.what
    for plain_us in ([110] * 4, [80, 120, 85, 110]):  # slower, or by no more than rounds differ by
        again = found(PROFILE, kept(plain_us, [120] * 4))
        assert list(fault_gains(make_budget(PROFILE, again), faults)) == []
    alike = dataclasses.replace(PROFILE, page_faults=(0,) * 8)  # only eager calls have new memory
    calls = found(alike, kept([97] * 4, [120] * 4))
    assert list(fault_gains(make_budget(alike, calls), faults)) == []
