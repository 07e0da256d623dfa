"""Of the CPU's watched calls those count that are like unwatched ones, and their means add up."""

from __future__ import annotations

import dataclasses
import itertools
import random

import pytest

from inspector.features.profile.budget import make_budget
from inspector.features.profile.kernel_timing import KernelTiming, kernel_timings
from inspector.features.profile.launch_timing import launch_timings
from inspector.features.profile.rounds import of_typical_calls
from inspector.records.device_profile import DeviceLaunch, DeviceProfile, LaunchPlace, ProfiledCall
from tests.unit.features.profile.test_budget import PROFILE

KERNELS = 10


def noisy(calls: int = 20, wall_ns: int = 100_000) -> DeviceProfile:
    """On a busy machine one kernel of each call, another one each time, waits for a processor."""
    chosen = random.Random(3)  # noqa: S311 - generated cases are to be the same every time
    made = []
    for _ in range(calls):
        times = [1_000 + chosen.randrange(100) for _ in range(KERNELS)]
        times[chosen.randrange(KERNELS)] += 80_000
        edges = list(itertools.accumulate(times, initial=500))
        made.append(ProfiledCall(edges[-1] + 10_000, tuple(itertools.pairwise(edges))))
    place = LaunchPlace(operator="aten::mm", frames=("/p/model.py(4): forward",))
    return dataclasses.replace(
        PROFILE,
        device={"kind": "cpu"},
        launches=(DeviceLaunch("cpu", "aten::mm", place=place),) * KERNELS,
        calls=tuple(made),
        plain_ns=(wall_ns,) * 9,
        idle_ns={"wrappers": 1},
    )


def work_of(profile: DeviceProfile) -> list[KernelTiming]:
    shown = of_typical_calls(profile, make_budget(profile).wall_ns)
    return kernel_timings(launch_timings(shown, (), ()), None, 0)


def test_times_on_the_cpu_add_up_to_the_calls_that_they_are_of() -> None:
    profile = noisy()
    budget, work = make_budget(profile), work_of(profile)
    shown = of_typical_calls(profile, budget.wall_ns)
    assert budget.shown_ns == pytest.approx(sum(c.wall_ns for c in shown.calls) / len(shown.calls))
    worked = sum(item.time_ns for item in work)
    assert worked + 10_500 == pytest.approx(budget.shown_ns)
    assert budget.busy_share == pytest.approx(worked / (budget.shown_ns or 0))
    # What medians of the single kernels would come to.
    assert sum(item.median_ns for item in work) < 0.2 * worked
