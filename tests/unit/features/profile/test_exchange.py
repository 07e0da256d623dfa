"""How long an exchange with other processes is not hidden by other kernels."""

from __future__ import annotations

import itertools
import statistics
from pathlib import Path

import pytest

from inspector.features.profile.budget import make_budget
from inspector.features.profile.gain import Gain
from inspector.features.profile.gains.gains import gains
from inspector.features.profile.gains.library_gains import exchanges, exposed_ns, unhidden_ns
from inspector.features.profile.kernel_timing import Bound, KernelTiming, kernel_timings
from inspector.features.profile.launch_timing import LaunchTiming, launch_timings, recorded_profile
from inspector.records.device_profile import DeviceLaunch, DeviceProfile, LaunchPlace
from inspector.run.kernel import Call
from inspector.run.sources.recording import opened, read_run
from tests.unit.features.profile.test_budget import PROFILE

RECORDING = Path(__file__).resolve().parents[2] / "data" / "nccl.zip"
Span = tuple[int, int]
REDUCE = Call("extern", "torch.ops._c10d_functional.all_reduce_.default", 10)
GATHER = Call("extern", "torch.ops._c10d_functional.all_gather_into_tensor.default", 20)


def nccl(*spans: Span, call: Call | None = REDUCE, device: int = 0) -> LaunchTiming:
    place = LaunchPlace() if call else LaunchPlace(operator="c10d::allreduce_")
    launch = DeviceLaunch("kernel", "ncclDevKernel_Sum", 17, device=device, place=place)
    return LaunchTiming(launch, spans, call=call)


def other(*spans: Span, device: int = 0, kind: str = "kernel") -> LaunchTiming:
    return LaunchTiming(DeviceLaunch(kind, "other", 7, device=device), spans)


def work(*launches: LaunchTiming) -> list[KernelTiming]:
    return kernel_timings(launches, None, 0)


def unhidden(*launches: LaunchTiming) -> float:
    return unhidden_ns(exchanges(work(*launches)))


def exchanged(*launches: LaunchTiming) -> list[Gain]:
    found = gains(make_budget(PROFILE), work(*launches), "", is_cpu=False)
    return [gain for gain in found if "other processes" in gain.what]


@pytest.mark.parametrize(
    ("spans", "left"), [([(0, 70)], 30), ([(50, 60), (55, 65), (90, 200)], 35), ([(0, 200)], 0)]
)
def test_what_others_hide_is_taken_off(spans: list[Span], left: int) -> None:
    assert unhidden(*(other(span) for span in spans), nccl((40, 100))) == left


def test_copies_hide_as_kernels_do_and_other_exchanges_do_not() -> None:
    assert unhidden(nccl((40, 100)), other((40, 60), kind="memcpy")) == 40
    # Two at the same time count once; neither can be computed behind the other.
    assert unhidden(nccl((40, 100)), nccl((50, 110), call=GATHER)) == 70


def test_nothing_is_won_where_all_is_hidden() -> None:
    whole = round(make_budget(PROFILE).wall_ns)
    assert exchanged(nccl((0, whole)), other((0, whole))) == []
    (gain,) = exchanged(nccl((0, whole)), other((0, whole // 4)))
    assert gain.time_ns == whole - whole // 4
    assert "is not overlapped" in gain.what


def test_what_graphs_exchange_and_what_ddp_does_are_changed_apart() -> None:
    whole = round(make_budget(PROFILE).wall_ns)
    first, second = exchanged(nccl((0, whole // 2)), nccl((whole // 2, whole), call=None))
    assert {"enable_overlap_scheduling" in gain.change for gain in (first, second)} == {True, False}


def recorded() -> DeviceProfile:
    with opened(RECORDING) as folder:
        ((payload,),) = (process.stored[DeviceProfile] for process in read_run(folder).processes)
        return recorded_profile(payload)


def is_nccl(profile: DeviceProfile) -> list[bool]:
    return [launch.name.startswith("nccl") for launch in profile.launches]


def test_two_gpus_exchanged_what_nothing_hid() -> None:
    profile = recorded()
    streams = {launch.stream for launch in itertools.compress(profile.launches, is_nccl(profile))}
    assert streams == {17}
    times = [
        sum(end - begin for begin, end in itertools.compress(call.spans_ns, is_nccl(profile)))
        for call in profile.calls
    ]
    assert unhidden(*launch_timings(profile, (), ())) == statistics.median(times) > 50_000


def test_each_exchange_has_the_time_that_nothing_hides() -> None:
    found = work(nccl((0, 100)), nccl((200, 300), call=GATHER), other((220, 280)))
    each = [exposed_ns(found, [item]) for item in found if item.bound is Bound.PROCESSES]
    assert sorted(each) == [40, 100]
