"""Inputs that fail, and what to do about them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from inspector.capture.bench.failing import failing
from inspector.capture.target.target import load_target
from inspector.errors import ModelFailedError
from inspector.shared.request import Request


@pytest.mark.parametrize(
    ("error", "step"),
    [
        (RuntimeError("The size of tensor a (2) must match"), "vary them together"),
        (torch.OutOfMemoryError("CUDA out of memory"), ""),
        (RuntimeError("element 0 of tensors does not require grad"), "no_grad() by default."),
    ],
)
def test_what_to_do_about_an_input_that_fails(tmp_path: Path, error: Exception, step: str) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "import torch\nmodel = torch.nn.Identity()\nexample_inputs = (torch.ones(2),)\n"
    )
    request = Request(str(file))
    target = load_target(request)
    with (
        pytest.raises(ModelFailedError, match=r"called with x\[0\]=2 without") as raised,
        failing(target, "x[0]=2", "vary them together", is_eager=True, request=request),
    ):
        raise error
    assert raised.value.next_step.endswith(step) if step else not raised.value.next_step


def test_explain_is_told_how_it_was_compiled(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("def model(): pass\n")
    request = Request(
        str(file), backend="aot_eager", fullgraph=True, train=True, dynamic=False, dtype="bfloat16"
    )
    target = load_target(request)
    with (
        pytest.raises(ModelFailedError) as raised,
        failing(target, "", "", is_eager=False, request=request),
    ):
        raise RuntimeError("no")
    assert raised.value.next_step == (
        f"Run: inspect explain {target.name} --dtype bfloat16 --train --backend aot_eager "
        "--no-dynamic --fullgraph"
    )
