"""What a call allocates on the CPU, where every size is known beforehand."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.memory_case import FLOAT, PARAMETERS, WIDE, Case, Net, measured

ROWS = 512
INPUT = ROWS * 256 * FLOAT
ACTIVATION = ROWS * WIDE * FLOAT
OUTPUT = ROWS * 8 * FLOAT


def net() -> Any:
    return Net(), torch.randn(ROWS, 256)


@pytest.fixture(scope="module")
def inference() -> Case:
    model, x = net()
    return measured(model, x)


@pytest.fixture(scope="module")
def training() -> Case:
    model, x = net()
    return measured(model, x, train=True)


def test_peaks_are_exact(inference: Case) -> None:
    use = inference.use
    # One fused kernel works in place; eager has `hidden`, and what `sin` takes and gives.
    assert use.compiled.added_bytes == ACTIVATION + OUTPUT
    assert use.eager is not None
    assert use.eager.added_bytes == 3 * ACTIVATION
    assert use.compiled.base_bytes == use.eager.base_bytes == PARAMETERS + INPUT
    assert use.ratio == pytest.approx(
        (PARAMETERS + INPUT + ACTIVATION + OUTPUT) / (PARAMETERS + INPUT + 3 * ACTIVATION)
    )
    assert use.compiled.reserved_bytes is None


def test_what_is_at_the_peak_adds_up_to_it(inference: Case, training: Case) -> None:
    for case in (inference, training):
        for call in (case.use.compiled, case.use.eager):
            assert call is not None
            assert sum(row.bytes_ for row in call.tensors) == call.peak_bytes


def test_the_largest_tensor_has_its_shape_and_lines(inference: Case) -> None:
    use = inference.use
    found = use.compiled.tensors[0]
    assert (found.what, found.bytes_) == ("intermediate", ACTIVATION)
    assert (found.shape, found.dtype) == ((ROWS, WIDE), "float32")
    (output,) = [row for row in use.compiled.tensors if row.what == "output"]
    assert (output.shape, output.bytes_) == ((ROWS, 8), OUTPUT)
    assert use.eager is not None
    eager = [row for row in use.eager.tensors if row.bytes_ >= ACTIVATION]
    first = Net.forward.__code__.co_firstlineno
    assert {line.line for row in eager for line in row.lines} <= {first + 1, first + 2}
    assert all(row.lines for row in eager)


def test_what_the_backward_pass_needs_is_told_apart(training: Case) -> None:
    use = training.use
    saved = [row for row in use.compiled.tensors if row.what == "saved"]
    assert sum(row.bytes_ for row in saved) >= ACTIVATION
    assert any(row.shape == (ROWS, WIDE) for row in saved)
    assert use.eager is not None
    assert any(row.what == "saved" and row.bytes_ >= ACTIVATION for row in use.eager.tensors)


def test_gradients_have_their_names() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(64, 2048, bias=False), torch.nn.ReLU())
    use = measured(model, torch.randn(4, 64), train=True).use
    for call in (use.compiled, use.eager):
        assert call is not None
        (found,) = [row for row in call.tensors if row.what == "gradient"]
        assert (found.name, found.bytes_) == ("0.weight", 64 * 2048 * FLOAT)
        assert found.shape == (2048, 64)


def test_a_call_that_fails_is_said_and_the_other_is_there() -> None:
    class Failing(torch.nn.Module):
        calls = 0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if not torch.compiler.is_compiling() and not torch.compiler.is_dynamo_compiling():
                raise MemoryError("none left")
            return x * 2

    use = measured(Failing(), torch.randn(1000)).use
    assert use.compiled.added_bytes == 4000
    assert use.eager is not None
    assert "none left" in use.eager.failed
    assert use.ratio is None


def test_what_a_call_puts_in_place_of_older_memory_does_not_count_twice() -> None:
    kept: list[torch.Tensor] = [torch.zeros(1)]

    def model(x: torch.Tensor) -> torch.Tensor:
        kept[0] = x * 2
        return kept[0] + 1

    use = measured(model, torch.randn(100_000)).use
    assert use.eager is not None
    # `1` and `2` become tensors meanwhile, of 8 and 4 bytes.
    assert use.eager.added_bytes == 400_000 + 12
    assert use.compiled.added_bytes == 800_000  # generated code allocates both first
    assert use.compiled.base_bytes == use.eager.base_bytes == 800_000
