"""What a profile of the CPU says of a call: its header, its bar and its tables agree."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.events.device_profile import DeviceProfile
from inspector.findings.cause_wording import OUTSIDE
from inspector.findings.profile_notices import input_notices
from inspector.findings.profile_wording import headline, idle_parts, line_rows, work_lines
from inspector.findings.profiled import Profiled
from inspector.profiles.budget import make_budget
from inspector.profiles.timed import timed_launches
from inspector.profiles.typical import of_typical_calls
from inspector.profiles.verdict import gains
from inspector.profiles.work import Bound, all_work
from tests.unit.profiles.test_typical import KERNELS, noisy


def profiled(profile: DeviceProfile) -> Profiled:
    budget = make_budget(profile)
    launches = timed_launches(of_typical_calls(profile, budget.wall_ns), (), ())
    work = tuple(all_work(launches, None, 0))
    return Profiled(profile, budget, work, {}, {}, {}, {}, ())


def test_the_bar_and_the_tables_have_the_same_shares() -> None:
    found = profiled(noisy())
    (_, worked), *_ = idle_parts(found)
    shares = {name: share for name, _, share, _ in line_rows(found)}
    assert sum(shares.values()) + found.attributed == pytest.approx(1)
    assert shares[f"({OUTSIDE})"] == pytest.approx(1 - worked)
    assert found.whole_ns == pytest.approx(found.budget.shown_ns)


def test_tables_of_calls_that_took_as_long_need_no_word() -> None:
    found = profiled(noisy(wall_ns=100_000))
    assert [text for text in input_notices(found) if "add up" in text] == []


@pytest.mark.parametrize("wall_ns", [40_000, 400_000])
def test_tables_of_calls_that_took_longer_or_shorter_say_both_times(wall_ns: int) -> None:
    found = profiled(noisy(wall_ns=wall_ns))
    (said,) = [text for text in input_notices(found) if "add up" in text]
    assert "to the 101 µs that these took" in said
    assert f"unwatched ones took {wall_ns // 1000} µs" in said


def test_what_kernels_could_win_is_no_more_than_a_call_takes() -> None:
    found = profiled(noisy(wall_ns=40_000))
    slow = [
        dataclasses.replace(item, least_ns=1.0, ceiling=1.0, bound=Bound.MEMORY)
        for item in found.work
    ]
    (gain, *_) = gains(found.budget, slow, "", is_cpu=True)
    assert 0.8 * 40_000 < gain.time_ns < 40_000


def test_the_header_counts_what_is_launched() -> None:
    found = profiled(noisy())
    first, second, *others = found.work
    wrapper = dataclasses.replace(second, kind="wrapper", name="statements around kernels")
    gradient = dataclasses.replace(second, name="torch::autograd::AccumulateGrad")
    work = (dataclasses.replace(first, kind="kernel"), wrapper, wrapper, gradient, *others)
    found = dataclasses.replace(found, work=work)
    assert headline(found, 1) == (
        f"cpu · 1 launch · {KERNELS - 2} operators outside of compiled graphs · 9 calls timed"
    )
    assert (found.launches, found.operators) == (1, KERNELS - 2)
    assert [row.number for row in work_lines(found) if row.name == wrapper.name] == [1]


def test_each_of_different_statements_has_its_ends() -> None:
    (row,) = work_lines(profiled(noisy()))
    assert row.number == KERNELS
    assert "each on average, " in row.detail
