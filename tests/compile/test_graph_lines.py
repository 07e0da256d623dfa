"""Lines of graphs that run as Python, and of what autograd does in a backward pass."""

import time
from pathlib import Path

import pytest
import torch
from torch import fx, nn

from inspector.capture.profiling.sequence import cpu_calls
from inspector.capture.profiling.user_lines import is_users, marked_user_lines
from inspector.capture.timeline.trace import Launched, traced
from inspector.features.profile.outside_lines import user_place
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


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch._dynamo.reset()


def done(model: nn.Module, x: torch.Tensor, backend: str, *, train: bool) -> list[Launched]:
    compiled = torch.compile(model, backend=backend)

    def call() -> None:
        result = compiled(x)
        if train:
            result.backward(torch.ones_like(result))

    with torch.set_grad_enabled(train):
        call()
        with traced(with_device=False) as seen, marked_user_lines(is_users):
            begun_ns = time.time_ns()
            call()
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


@pytest.mark.parametrize(
    ("backend", "product"), [("eager", "aten::linear"), ("aot_eager", "aten::addmm")]
)
def test_a_graph_that_runs_as_python_has_the_lines_and_modules_of_its_nodes(
    backend: str, product: str
) -> None:
    found = places(done(Model(), torch.randn(32, 64), backend, train=False))
    assert found[product] == {("h = self.layers(x)", "layers.0"), ("h = self.last(h) * 2", "last")}
    assert found["aten::gelu"] == {("h = self.layers(x)", "layers.1")}
    assert found["aten::mul"] == {("h = self.last(h) * 2", "")}
    assert found["aten::sin"] == {("return h.sin()", "")}


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_operators_of_the_backward_pass_have_the_lines_of_their_forward_operators(
    backend: str,
) -> None:
    found = places(done(Model(), torch.randn(32, 64), backend, train=True))
    assert found["aten::gelu_backward"] == {("h = self.layers(x)", "layers.1")}
    assert {("h = self.layers(x)", "layers.0"), ("h = self.last(h) * 2", "last")} <= found[
        "aten::mm"
    ]
    assert found["aten::cos"] == {("return h.sin()", "")}
    lost = {name for name, lines in found.items() if ("", "") in lines}
    assert lost <= {"torch::autograd::AccumulateGrad", "aten::detach", "aten::view"}


def test_branches_of_a_graph_have_lines_too() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(
            x.sum() > 0,
            lambda x: (x @ x).relu(),
            lambda x: x.sin(),
            (x,),
        )  # fmt: skip

    compiled = torch.compile(model, backend="eager")
    x = torch.ones(64, 64)
    with torch.no_grad():
        compiled(x)
        with traced(with_device=False) as seen, marked_user_lines(is_users):
            begun_ns = time.time_ns()
            compiled(x)
            window = begun_ns, time.time_ns()
    found = places(cpu_calls(seen.trace, [window])[0])
    assert found["aten::relu"] == {("lambda x: (x @ x).relu(),", "")}


def test_a_graph_that_was_changed_since_its_code_was_made_has_no_wrong_lines() -> None:
    graph = fx.Graph()
    x = graph.placeholder("x")
    first = graph.call_function(torch.relu, (x,))
    second = graph.call_function(torch.sin, (first,))
    graph.output(second)
    for number, node in enumerate((first, second)):
        node.meta["stack_trace"] = f'  File "{__file__}", line {number + 1}, in f\n    code\n'
    module = fx.GraphModule(nn.Module(), graph)

    def seen() -> list[str]:
        with traced(with_device=False) as trace, marked_user_lines(is_users):
            module(torch.ones(3))
        marks = [e.name for e in trace.trace.host if e.name.startswith("inspector at ")]
        return [name for name in marks if name.endswith(": f")]

    assert [name.rpartition("(")[2] for name in seen()] == ["1): f", "2): f"]
    with graph.inserting_before(first):
        graph.call_function(torch.cos, (x,)).meta["stack_trace"] = first.meta["stack_trace"]
    # The code is the old one; at the numbers of its statements there are other nodes now.
    assert seen() == []


def test_code_that_is_in_no_file_is_not_the_user_s() -> None:
    assert is_users(__file__)
    for file in ("<string>", "<frozen os>", "<eval_with_key>.7"):
        assert not is_users(file)
