"""What is launched around compiled graphs, and outside of them, leads to a line of the user's."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.events.device_profile import DeviceLaunch, DeviceProfile, ProfiledCall
from inspector.events.launch_place import LaunchPlace
from inspector.model.kernel import Call, GraphCode, NodeLine
from inspector.profiles.budget import make_budget
from inspector.profiles.gains import gains
from inspector.profiles.gradient_copies import copied_gradients
from inspector.profiles.outside_lines import line_outside, lines_of_modules
from inspector.profiles.timed import TimedLaunch, timed_launches
from inspector.profiles.work import all_work

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
KEPT = DeviceLaunch(
    "kernel", "void elementwise_kernel<direct_copy_kernel_cuda>",
    place=LaunchPlace(
        operator="torch::autograd::AccumulateGrad", module="L['self'].conv", is_backward=True
    ),
)  # fmt: skip


def profile_of(*launches: DeviceLaunch) -> DeviceProfile:
    spans = tuple((10 * number, 10 * number + 5) for number in range(len(launches)))
    return DeviceProfile(
        input=0, device={}, plain_ns=(40, 40, 40), watched_ns=(40,), eager_ns=(), eager_work=(),
        other_calls=0, launches=launches, calls=(ProfiledCall(40, spans),), idle_ns={}, host=(),
        worked=(), memory={},
    )  # fmt: skip


def timed(*launches: DeviceLaunch) -> list[TimedLaunch]:
    return timed_launches(profile_of(*launches), [CODE], (), FUNCTIONS)


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


def test_copies_of_the_program_s_own_stay_its_own() -> None:
    own = dataclasses.replace(MEMCPY, place=LaunchPlace(frames=("/home/user/model.py(3): main",)))
    assert lines(own, REPLAYED) == [3, 12]
    assert lines(MEMCPY, own, REPLAYED) == [0, 3, 12]


def test_a_gradient_counts_for_the_module_of_its_parameter() -> None:
    (_, kept) = timed(REPLAYED, KEPT)
    assert [(line.line, line.module) for line in kept.lines] == [(12, "conv")]
    assert not kept.is_around


def test_a_gradient_of_no_known_module_counts_for_the_function_of_the_last_graph() -> None:
    unknown = dataclasses.replace(KEPT, place=dataclasses.replace(KEPT.place, module=""))
    assert lines(REPLAYED, unknown) == [12, 10]
    assert lines(unknown) == [0]


def test_gradients_of_convolutions_that_are_copied_are_a_gain() -> None:
    work = all_work(timed(REPLAYED, KEPT, KEPT), None, 0)
    convolution = dataclasses.replace(work[0], operators=("convolution",))
    assert copied_gradients([convolution, *work[1:]]) == work[1:]
    budget = make_budget(profile_of(REPLAYED, KEPT, KEPT))
    (gain,) = gains(budget, [convolution, *work[1:]], "", is_cpu=False)
    assert gain.what == (
        "autograd copies the gradients of 2 convolutions into the layout of their weights"
    )
    assert gain.time_ns == 10
    assert "channels_last" in gain.change
    assert copied_gradients([dataclasses.replace(convolution, operators=("mm",)), *work[1:]]) == []
    added = dataclasses.replace(KEPT, name="vectorized_elementwise_kernel<CUDAFunctor_add<float>>")
    assert copied_gradients([convolution, *all_work(timed(REPLAYED, added), None, 0)[1:]]) == []


def test_a_module_of_several_lines_says_nothing_of_one_parameter() -> None:
    other = dataclasses.replace(CONV, line=13)
    code = dataclasses.replace(CODE, calls=(*CODE.calls, Call("extern", "mm", 8, nodes=(other,))))
    assert lines_of_modules([CODE]) == {"conv": CONV}
    assert lines_of_modules([code]) == {}
    assert line_outside(KEPT.place, {}) == NodeLine(KEPT.place.operator, module="conv")
    forward = dataclasses.replace(KEPT.place, is_backward=False)
    assert line_outside(forward, lines_of_modules([CODE])) is None
