"""What one change would win is one gain, and says what it is about."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from inspector.features.profile.budget import make_budget
from inspector.features.profile.gain import Gain
from inspector.features.profile.gains.gains import gains
from inspector.features.profile.gains.kernel_advice import Setup, advice
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.records.graphs import TensorMeta
from inspector.records.kernels import CppKernelLoops
from inspector.run.cpp_kernel import CppFacts, CppText
from inspector.run.kernel import Kernel, NodeLine
from tests.unit.features.profile.test_budget import PROFILE
from tests.unit.features.profile.test_kernel_timing import work
from tests.unit.fusions import Kernel as Scheduled
from tests.unit.fusions import fusion, graph, node

BUDGET = make_budget(
    dataclasses.replace(PROFILE, plain_ns=(1_000_000,) * 3, idle_ns={"wrappers": 9, "autograd": 9})
)


def line(number: int) -> NodeLine:
    return NodeLine("relu", "/p/model.py", number)


def with_launch(item: KernelTiming, **changes: Any) -> KernelTiming:
    """The statement with another launch: another line, or parts of its code, step or facts."""
    (launch,) = item.launches
    parts = {
        name: dataclasses.replace(getattr(launch, name), **new) if isinstance(new, dict) else new
        for name, new in changes.items()
    }
    return dataclasses.replace(item, launches=(dataclasses.replace(launch, **parts),))


def with_parts(item: KernelTiming, **changes: Any) -> KernelTiming:
    """The statement, with something else known of the parts of its step."""
    assert item.facts.parts
    parts = tuple(dataclasses.replace(part, **changes) for part in item.facts.parts)
    return with_launch(item, facts={"parts": parts})


def of_kernels(*found: KernelTiming) -> list[Gain]:
    return [
        gain
        for gain in gains(BUDGET, found, "", is_cpu=False)
        if "max-autotune" in gain.change or "its own" in gain.change
    ]


def test_a_change_for_many_kernels_is_one_gain() -> None:
    first, _ = work(time_ns=100_000)
    others = [
        dataclasses.replace(first, name=f"triton_poi_{number}", lines=(line(number),))
        for number in (1, 2)
    ]

    (alone,) = of_kernels(first)
    (several,) = of_kernels(first, others[0], *others)

    assert alone.what == "triton_poi_0 at model.py:3 reaches 20% of peak bandwidth"
    assert several.what.startswith(
        "4 runs (triton_poi_1, triton_poi_0, triton_poi_2) at model.py:1 and 2 more lines reach 20%"
    )
    assert several.time_ns == pytest.approx(4 * alone.time_ns)


def with_operator(operator: str, direction: str) -> KernelTiming:
    first, _ = work(time_ns=100_000)
    code, call = {"direction": direction}, {"aten": (operator,)}
    return with_launch(first, facts=None, call=call, place=line(7), code=code)


FORWARD = make_budget(
    dataclasses.replace(PROFILE, plain_ns=(1_000_000,) * 3, idle_ns={"wrappers": 9})
)


def of_training_mode(*found: KernelTiming, is_training: bool | None = True) -> list[Gain]:
    every = gains(FORWARD, found, "", is_cpu=False, is_training=is_training)
    return [gain for gain in every if "training" in gain.what]


def test_what_layers_do_in_training_mode_alone_is_said_of_calls_without_a_backward_pass() -> None:
    dropout = with_operator("native_dropout", "inference")
    norm = with_operator("_native_batch_norm_legit_functional", "inference")
    (gain,) = of_training_mode(dropout, norm)
    assert gain.what == (
        "the model is in training mode: dropout draws random numbers and batch normalization "
        "computes statistics from the batch"
    )
    assert gain.time_ns == pytest.approx(200_000)
    assert "model.eval()" in gain.change
    assert not of_training_mode(dropout, with_operator("relu", "backward"))
    assert not of_training_mode(with_operator("_native_batch_norm_legit_no_training", "inference"))


def test_a_model_in_eval_mode_is_not_said_to_be_in_training_mode() -> None:
    dropout = with_operator("aten.native_dropout.default", "inference")
    (gain,) = of_training_mode(dropout, is_training=False)
    assert gain.what == (
        "functions such as F.dropout run in training mode, although the model is in eval mode: "
        "dropout draws random numbers"
    )
    assert "training=self.training" in gain.change
    assert "model.eval()" not in gain.change
    (gain,) = of_training_mode(dropout, is_training=None)
    assert gain.what == "the call runs in training mode: dropout draws random numbers"
    assert "model.eval()" in gain.change
    assert "training=self.training" in gain.change


VECTORISED = CppText((True,), ("x0",))


def of_loop(text: CppText, time_ns: int, threads: int = 0) -> KernelTiming:
    """A generated C++ kernel that has one loop."""
    first, _ = work(time_ns=time_ns)
    said = CppKernelLoops("", "", 512, "g++", threads, 512, "", None, ()) if threads else None
    facts = CppFacts(text, said)
    kernel = Kernel(first.name, "cpp", "cpp", "", 1, cpp=facts)
    return with_launch(first, code={"kernels": (kernel,)})


def test_loops_that_are_vectorised_have_no_advice_to_vectorise_them() -> None:
    def change(text: CppText, time_ns: int = 100_000, threads: int = 0) -> str:
        own = dataclasses.replace(of_loop(text, time_ns, threads), dtype="float32")
        changes = [gain.change for gain in gains(BUDGET, [own], "", is_cpu=True)]
        return next((text for text in changes if "loops" in text), "")

    fast, serial = VECTORISED, CppText((True,))
    assert change(fast) == ""  # what they compute takes the time
    assert change(fast, 30_000).startswith("use bfloat16, which moves fewer bytes")
    assert "not vectorized or not parallel" in change(CppText((False,), ("x0",)))
    assert "not vectorized or not parallel" in change(serial)
    assert "not vectorized or not parallel" in change(serial, threads=2)
    assert change(serial, threads=1) == ""  # there are no others
    assert change(serial, 30_000, threads=1).startswith("use bfloat16, which moves fewer")


def test_what_nothing_is_known_for_is_named_with_what_it_loses() -> None:
    own = with_parts(of_loop(VECTORISED, 400_000), operator="aten.exp", share=1.0)
    found = gains(BUDGET, [own], "", is_cpu=True)
    (gain,) = (item for item in found if item.what.startswith("triton_poi_0"))
    assert "no known setting is faster" in gain.change
    assert not gain.is_known
    assert gain.time_ns == pytest.approx(380_000)


CONTIGUOUS, LAST = (32768, 1024, 32, 1), (32768, 1, 1024, 32)


def convolution(*shape: int, stride: tuple[int, ...]) -> KernelTiming:
    tensor = TensorMeta("float32", shape, stride, "cpu")
    nodes = node("x", ""), node("conv", "aten.convolution.default", "x", tensors=(tensor,))
    (step,) = fusion(
        graph(*nodes), Scheduled("aten.convolution", ("conv",), {"x": 64}, {"b": 64}, "extern")
    ).steps
    _, library = work()
    launches = (dataclasses.replace(library.launches[0], step=step, facts=None),)
    return dataclasses.replace(
        library, operators=("convolution",), dtype="float32", launches=launches
    )


@pytest.mark.parametrize(
    ("found", "is_advised"),
    [
        (convolution(4, 32, 32, 32, stride=CONTIGUOUS), True),
        (convolution(4, 32, 32, 32, stride=LAST), False),
        (convolution(4, 32, 32, stride=(1024, 32, 1)), False),
    ],
)
def test_channels_last_is_for_images_that_are_not(found: KernelTiming, *, is_advised: bool) -> None:
    said = advice(found, Setup(is_cpu=True))
    assert ("channels_last" in said) is is_advised
    assert "bfloat16" in said
