"""What a profile of the CPU says of a call: its header, its bar and its tables agree."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.profile.budget import make_budget
from inspector.features.profile.gains.gains import gains
from inspector.features.profile.kernel_timing import Bound, KernelTiming, kernel_timings
from inspector.features.profile.launch_timing import launch_timings
from inspector.features.profile.notices import input_notices
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.rounds import of_typical_calls
from inspector.features.profile.rows import kernel_rows, line_rows
from inspector.features.profile.slowdown_wording import OUTSIDE
from inspector.features.profile.wording import headline, idle_parts
from inspector.records.device_profile import DeviceProfile
from tests.unit.features.profile.test_typical import KERNELS, noisy


def profiled(profile: DeviceProfile) -> Profiled:
    budget = make_budget(profile)
    launches = launch_timings(of_typical_calls(profile, budget.wall_ns), (), ())
    work = tuple(kernel_timings(launches, None, 0))
    return Profiled(profile, budget, work, {}, {}, {}, {}, ())


def test_the_bar_and_the_tables_have_the_same_shares() -> None:
    found = profiled(noisy())
    (_, worked), *_ = idle_parts(found)
    shares = {name: share for name, _, share, _ in line_rows(found)}
    assert sum(shares.values()) + found.attributed == pytest.approx(1)
    assert shares[f"({OUTSIDE})"] == pytest.approx(1 - worked)
    assert found.whole_ns == pytest.approx(found.budget.shown_ns)


@pytest.mark.parametrize("wall_ns", [40_000, 400_000])
def test_tables_of_calls_that_took_longer_or_shorter_say_both_times(wall_ns: int) -> None:
    found = profiled(noisy(wall_ns=wall_ns))
    (said,) = [text for text in input_notices(found) if "tables show" in text]
    assert f"which take 101 µs each instead of {wall_ns // 1000} µs" in said


def held_against_a_ceiling(found: Profiled) -> list[KernelTiming]:
    return [
        dataclasses.replace(item, least_ns=500.0, ceiling=1.0, bound=Bound.MEMORY, bytes_=1000)
        for item in found.work
    ]


def test_what_kernels_could_win_is_in_proportion_to_an_unwatched_call() -> None:
    # Ten kernels of 1 µs, whatever they wait for, each with 0.5 µs to win, in calls of 101 µs.
    for wall_ns in (50_000, 200_000):
        found = profiled(noisy(wall_ns=wall_ns))
        all_ = gains(found.budget, held_against_a_ceiling(found), "", is_cpu=True)
        kernels = next(item for item in all_ if item.what.startswith(f"{KERNELS} runs"))
        assert kernels.time_ns == pytest.approx(5_500 * wall_ns / 101_000, rel=0.1)


def test_what_kernels_reach_is_by_what_they_take_undisturbed() -> None:
    found = profiled(noisy())
    work = tuple(held_against_a_ceiling(found))
    ((_, time, _, summary, detail, _),) = kernel_rows(dataclasses.replace(found, work=work))
    assert time == "90 µs"
    assert "9.0 µs each on average, median 1.0 µs" in detail
    assert "956 MB/s" in detail
    assert summary.endswith("48% of peak bandwidth")


def test_the_header_counts_what_is_launched() -> None:
    found = profiled(noisy())
    first, second, *others = found.work
    wrapper = dataclasses.replace(second, kind="wrapper", name="statements between kernels")
    gradient = dataclasses.replace(second, name="torch::autograd::AccumulateGrad")
    work = (dataclasses.replace(first, kind="kernel"), wrapper, wrapper, gradient, *others)
    found = dataclasses.replace(found, work=work)
    assert headline(found, 1) == (
        f"cpu · 1 launch · {KERNELS - 2} operators outside compiled graphs · 9 calls timed"
    )
    assert (found.launches, found.operators) == (1, KERNELS - 2)
    assert [row[0] for row in kernel_rows(found) if wrapper.name in row[0]] == [wrapper.name]
