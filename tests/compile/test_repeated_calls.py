"""Calls that repeat others, in the code that Inductor generates here."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch._inductor.utils import run_and_get_code

from inspector.features.kernels.output_code import read_output_code

pytestmark = pytest.mark.compile
STEPS = 3
ONE, OTHER = nn.Linear(8, 8), nn.Linear(8, 8)


def same_input(x: Tensor) -> Tensor:
    h = x * 2
    for _ in range(STEPS):
        h = torch.tanh(OTHER(h)) * torch.sigmoid(ONE(x))
    return h


def mended(x: Tensor) -> Tensor:
    h, gate = x * 2, torch.sigmoid(ONE(x))
    for _ in range(STEPS):
        h = torch.tanh(OTHER(h)) * gate
    return h


def changed_in_place(x: Tensor) -> Tensor:
    h, x = x * 2, x.clone()
    for _ in range(STEPS):
        h = torch.tanh(OTHER(h)) * torch.sigmoid(ONE(x))
        x.mul_(0.5)
    return h


def chained(x: Tensor) -> Tensor:
    h = x * 2
    for _ in range(STEPS):
        h = torch.tanh(h @ OTHER(torch.relu(ONE(x))).T) + h
    return h


def dropped_out(x: Tensor) -> Tensor:
    h = x
    for _ in range(STEPS):
        h = h + ONE(torch.dropout(x, 0.5, train=True))
    return h


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (same_input, ["addmm"] * (STEPS - 1)),
        (mended, []),
        (changed_in_place, []),
        (chained, ["addmm"] * (STEPS - 1)),  # what is computed of a repeated one is not told
        (dropped_out, []),
    ],
)
def test_calls_of_libraries_that_repeat_others_are_found(
    function: Callable[[Tensor], Tensor], expected: list[str]
) -> None:
    torch._dynamo.reset()
    x = torch.randn(8, 8)
    with torch.no_grad():
        result, codes = run_and_get_code(torch.compile(function), x)
        if function is not dropped_out:
            torch.testing.assert_close(result, function(x))
    calls = [call for code in codes for call in read_output_code(code, "0/0", {}).calls]

    assert [call.name for call in calls if call.repeats and call.kind != "kernel"] == expected


def test_in_a_graph_with_gradients_there_are_none() -> None:
    torch._dynamo.reset()
    x = torch.randn(8, 8, requires_grad=True)
    _, codes = run_and_get_code(torch.compile(same_input), x)
    forward = read_output_code(codes[0], "0/0", {})

    assert [call.name for call in forward.calls if call.kind == "extern"] == ["addmm"] * (STEPS + 1)
    assert not any(call.repeats for call in forward.calls)
