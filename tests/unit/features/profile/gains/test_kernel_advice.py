"""What could bring a convolution nearer to its ceiling, by what is known of its layout."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.profile.gains.kernel_advice import Setup, advice
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.records.graphs import TensorMeta
from tests.unit.features.profile.test_kernel_timing import work
from tests.unit.fusions import Kernel, fusion, graph, node

CONTIGUOUS, LAST = (32768, 1024, 32, 1), (32768, 1, 1024, 32)


def convolution(*shape: int, stride: tuple[int, ...]) -> KernelTiming:
    tensor = TensorMeta("float32", shape, stride, "cpu")
    nodes = node("x", ""), node("conv", "aten.convolution.default", "x", tensors=(tensor,))
    (step,) = fusion(
        graph(*nodes), Kernel("aten.convolution", ("conv",), {"x": 64}, {"b": 64}, "extern")
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
