"""``--fake``: large tensors have no memory, small ones have values, the kernels are the same."""

from __future__ import annotations

import json
import subprocess
from contextlib import nullcontext
from typing import Any
from unittest import mock

import pytest
import torch
from torch._inductor.graph import GraphLowering
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensor

from inspector.capture.gpu_target.session import gpu_target
from inspector.capture.gpu_target.weights import MOST_REAL, fake_weights, is_weight
from inspector.capture.target.placement import Placement
from inspector.shared.gpu_table import known_gpu
from tests.compile.gpu_kernels import inspected

MODEL = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(1024, 1024), torch.nn.Linear(1024, 1024)
        self.norm = torch.nn.LayerNorm(1024)
        self.rates = [rate.item() for rate in torch.linspace(0, 0.5, 3)]

    def forward(self, x):
        x = self.norm(self.a(x).relu() * self.rates[1])
        if x.sum() > 0:
            x = x + 1
        return self.b(x).softmax(-1)

model = Net().cuda()
example_inputs = (torch.randn(256, 1024, device="cuda"),)
"""


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """A model that asks for a value in the middle."""
    folder = tmp_path_factory.mktemp("fake")
    (folder / "model.py").write_text(MODEL)
    options = "--no-grad", "--no-compile", "--no-progress", "--format", "json"
    return inspected(folder, "kernels", "model.py", "--gpu", "h200", "--fake", *options)


def test_it_stops_where_a_value_is_needed_and_shows_what_was_compiled_until_there(
    stopped: subprocess.CompletedProcess[str],
) -> None:
    report: dict[str, Any] = json.loads(stopped.stdout)

    assert stopped.returncode == 3
    assert {node["line"] for kernel in report["kernels"] for node in kernel["nodes"]} <= {12, 13}
    assert report["kernels"]
    error = report["recording"]["error"]
    assert "needs the value of a tensor at model.py:13" in error
    assert "Drop --fake" in error


def test_small_tensors_are_real_and_large_ones_need_no_memory() -> None:
    with fake_weights():
        small, large = torch.arange(10), torch.empty(10**13)
        edge, over = torch.ones(MOST_REAL), torch.ones(MOST_REAL + 1)
        grown = small.repeat(10**6)  # of a small one a large one
        small += 1
        ours = [is_weight(item) for item in (small, large, edge, over, grown)]
        assert (small * 2).tolist() == [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]
        assert (large[:10] + small).shape == (10,)
        with pytest.raises(DataDependentOutputException):
            over.sum().item()

    assert ours == [False, True, False, True, True]
    assert not isinstance(torch.ones(MOST_REAL + 1), FakeTensor)


def test_tied_weights_stay_tied_in_another_dtype() -> None:
    with fake_weights():
        model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.Linear(512, 512))
        model[1].weight = model[0].weight
        Placement("cpu", "bf16").put_model(model)

    assert model[1].weight is model[0].weight
    assert is_weight(model[0].weight)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    assert {parameter.requires_grad for parameter in model.parameters()} == {True}


def codes(*, fake: bool) -> list[str]:
    """What Inductor generates for a model's forward and backward pass."""
    found: list[str] = []

    def save(code: str) -> None:
        found.append(code)

    torch._dynamo.reset()
    with gpu_target(known_gpu("h200")), fake_weights() if fake else nullcontext():
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 64, 3), torch.nn.BatchNorm2d(64), torch.nn.GELU(),
            torch.nn.Flatten(), torch.nn.Linear(64 * 30 * 30, 10),
        )  # fmt: skip
        with mock.patch.object(GraphLowering, "save_output_code", staticmethod(save)):
            out = torch.compile(model)(torch.randn(8, 3, 32, 32))
            out.sum().backward()
        assert isinstance(model[4].weight.grad, FakeTensor) is fake
    return found


def test_the_code_is_that_of_a_model_with_memory() -> None:
    real, fake = codes(fake=False), codes(fake=True)

    assert len(real) > 1
    assert [_of_any_run(code) for code in fake] == [_of_any_run(code) for code in real]


def _of_any_run(code: str) -> str:
    """The code without what names this process and its caches."""
    return "\n".join(
        line
        for line in code.splitlines()
        if "/tmp" not in line and "AOT ID" not in line  # noqa: S108
    )
