"""Lines of what autograd does in a backward pass."""

from __future__ import annotations

import time
from pathlib import Path

import torch
from torch import nn

from inspector.capture.profiling.cpu_lines import cpu_calls
from inspector.capture.profiling.trace import Launched, traced
from inspector.capture.profiling.user_lines import is_users, marked_user_lines
from inspector.profiles.outside_lines import user_place
from inspector.records.codec import decode
from inspector.records.device_profile import LaunchPlace

TEXT = Path(__file__).read_text("utf-8").split("\n")


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, 64), nn.GELU())
        self.last = nn.Linear(64, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.layers(x)
        h = self.last(h) * 2
        return h.sin()


def done(model: nn.Module, x: torch.Tensor) -> list[Launched]:
    with traced(with_device=False) as seen, marked_user_lines(is_users):
        begun_ns = time.time_ns()
        result = model(x)
        result.backward(torch.ones_like(result))
        window = begun_ns, time.time_ns()
    return cpu_calls(seen.trace, [window])[0]


def places(items: list[Launched]) -> dict[str, set[tuple[str, str]]]:
    """The text of the line, and the module, of each operator."""
    found: dict[str, set[tuple[str, str]]] = {}
    for item in items:
        line = user_place(decode(LaunchPlace, {
            "frames": list(item.place.frames), "module": item.place.module,
        }))  # fmt: skip
        text = ("", "")
        if line is not None:
            assert line.file == __file__
            text = TEXT[line.line - 1].strip(), line.module
        found.setdefault(item.launch.name, set()).add(text)
    return found


def test_operators_of_the_backward_pass_have_the_lines_of_their_forward_operators() -> None:
    found = places(done(Model(), torch.randn(32, 64)))
    assert found["aten::gelu_backward"] == {("h = self.layers(x)", "layers.1")}
    assert {("h = self.layers(x)", "layers.0"), ("h = self.last(h) * 2", "last")} <= found[
        "aten::mm"
    ]
    assert found["aten::cos"] == {("return h.sin()", "")}
    lost = {name for name, lines in found.items() if ("", "") in lines}
    assert lost <= {"torch::autograd::AccumulateGrad", "aten::detach", "aten::ones_like"}


def test_code_that_is_in_no_file_is_not_the_user_s() -> None:
    assert is_users(__file__)
    for file in ("<string>", "<frozen os>", "<eval_with_key>.7"):
        assert not is_users(file)
