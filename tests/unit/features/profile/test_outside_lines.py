"""What is launched around compiled graphs, and outside of them, leads to a line of the user's."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.profile.launch_timing import LaunchTiming, launch_timings
from inspector.records.device_profile import DeviceLaunch, DeviceProfile, LaunchPlace, ProfiledCall
from inspector.run.kernel import Call, GraphCode, NodeLine

CONV = NodeLine("convolution", "/home/user/model.py", 12, "self.conv(x)", module="conv")
CODE = GraphCode("0/0", "forward", "", (), (Call("extern", "mm", 7, nodes=(CONV,)),), "cabc.py")
FUNCTIONS = {"0/0": NodeLine("forward", "/home/user/model.py", 10)}
REPLAYED = DeviceLaunch("kernel", "gemm", is_replayed=True, place=LaunchPlace("cabc", 7, "0/0"))
LAUNCHED = dataclasses.replace(REPLAYED, is_replayed=False)
MEMCPY = DeviceLaunch("memcpy", "Memcpy DtoD (Device -> Device)")
FOREACH = DeviceLaunch(
    "kernel", "void multi_tensor_apply_kernel<TensorListMetadata<2>, Copy<f, f>>"
)
OTHER = DeviceLaunch("kernel", "void vectorized_elementwise_kernel<4, AddFunctor<float>>")


def profile_of(*launches: DeviceLaunch) -> DeviceProfile:
    spans = tuple((10 * number, 10 * number + 5) for number in range(len(launches)))
    return DeviceProfile(
        input=0, device={}, plain_ns=(40, 40, 40), watched_ns=(40,), eager_ns=(), eager_work=(),
        other_calls=0, launches=launches, calls=(ProfiledCall(40, spans),), idle_ns={}, host=(),
        worked=(),
    )  # fmt: skip


def timed(*launches: DeviceLaunch) -> list[LaunchTiming]:
    return launch_timings(profile_of(*launches), [CODE], (), FUNCTIONS)


def lines(*launches: DeviceLaunch) -> list[int]:
    return [next((line.line for line in item.lines), 0) for item in timed(*launches)]


@pytest.mark.parametrize("copy", [MEMCPY, FOREACH])
def test_copies_into_a_cuda_graph_count_for_the_function(copy: DeviceLaunch) -> None:
    assert lines(copy, copy, REPLAYED) == [10, 10, 12]
    # Some of a graph's kernels are launched one by one, before it.
    assert lines(copy, LAUNCHED, REPLAYED) == [10, 12, 12]


def test_what_is_no_copy_or_goes_before_no_cuda_graph_does_not() -> None:
    assert lines(MEMCPY, LAUNCHED) == [0, 12]
    assert lines(OTHER, REPLAYED) == [0, 12]
    assert lines(MEMCPY, OTHER, REPLAYED) == [0, 0, 12]
    assert lines(REPLAYED, MEMCPY) == [12, 0]


def at_line(number: int, function: str = "forward") -> DeviceLaunch:
    frame = f"/home/user/model.py({number}): {function}"
    place = LaunchPlace(region="0/0", operator="aten::_unsafe_view", frames=(frame,))
    return DeviceLaunch("cpu", "aten::_unsafe_view", place=place)


def test_what_is_done_at_the_first_line_of_a_compiled_function_is_torch_s() -> None:
    (_, around) = timed(REPLAYED, at_line(10))
    assert around.is_around
    assert lines(at_line(10)) == [10]
    # Behind a graph break there are lines of the program's own, which are none of torch's.
    assert not timed(at_line(14))[0].is_around
    resumed = {"0/0": dataclasses.replace(FUNCTIONS["0/0"], node="torch_dynamo_resume_in_f_at_10")}
    profile = profile_of(at_line(10))
    assert not launch_timings(profile, [CODE], (), resumed)[0].is_around
    # A function of one line has its operators there.
    short = {"0/0": dataclasses.replace(FUNCTIONS["0/0"], line=CONV.line)}
    assert not launch_timings(profile_of(at_line(12)), [CODE], (), short)[0].is_around
