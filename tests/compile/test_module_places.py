"""Lines of models that have none of their own: those that make their modules."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest
import torch
from torch import fx, nn

from inspector.capture.graphs import module_places
from inspector.capture.graphs.module_places import noting_modules, stack_of
from inspector.records.stack import StackFrame
from inspector.trace.printed_stack import printed_frames

HERE = str(Path(__file__))
TEXT = Path(__file__).read_text("utf-8").split("\n")


class Half(nn.Linear):
    def __init__(self, size: int) -> None:
        super().__init__(size, size // 2)  # no line of the one who makes a Half


class Made(nn.Linear):
    def __new__(cls) -> Self:
        made = super().__new__(cls)
        nn.Linear.__init__(made, 8, 8)
        return made

    def __init__(self) -> None:
        pass


class Own(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.Sequential(nn.Linear(8, 8), nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.parts(x) + 1


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    module_places._places.clear()


def lines(model: nn.Module, *inputs: torch.Tensor) -> dict[str, list[str]]:
    """The user's lines of each operator that Dynamo captures, as they stand in this file."""
    return {
        name: [TEXT[each.line - 1].strip() for each in found]
        for name, found in frames_of(model, *inputs).items()
    }


def frames_of(model: nn.Module, *inputs: torch.Tensor) -> dict[str, list[StackFrame]]:
    """The user's frames of each operator that Dynamo captures."""
    found: dict[str, list[StackFrame]] = {}

    def backend(graph: fx.GraphModule, _: object) -> fx.GraphModule:
        for node in graph.graph.nodes:
            if node.op.startswith("call_"):
                frames = printed_frames(stack_of(node))
                found[node.name] = [each for each in frames if each.file == HERE]
        return graph

    torch.compile(model, backend=backend)(*inputs)
    return found


RELU = nn.ReLU()
ENCODER = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
MADE = [
    (lambda: nn.Sequential(Made(), Half(8)), ["Made()", "Half(8)"]),
    # Without parameters: where it is put into the model. A second call is known as well.
    (lambda: nn.Sequential(RELU, nn.Linear(8, 8), RELU), ["RELU, nn", "nn.Linear", "RELU, nn"]),
    # A copy has the line of what it is in.
    (lambda: nn.TransformerEncoder(ENCODER, 2, enable_nested_tensor=False).eval(), ["Encoder(E"]),
    (Own, ["return self.parts(x) + 1"]),  # a line of the model's own comes first
]


@pytest.mark.parametrize(("make", "expected"), MADE, ids=["made", "twice", "copied", "own"])
def test_an_operator_has_the_line_that_makes_its_module(
    make: Callable[[], nn.Module], expected: list[str]
) -> None:
    with noting_modules():
        model = make()
    found = list(lines(model, torch.randn(1, 4, 8)).values())
    wanted = expected * len(found) if len(expected) == 1 else expected
    assert found
    for (line,), part in zip(found, wanted, strict=True):
        assert part in line


def test_torch_is_as_it_was_afterwards() -> None:
    hooks = torch.nn.modules.module._global_parameter_registration_hooks
    before = dict(hooks)
    with noting_modules():
        assert len(hooks) == len(before) + 1
    with pytest.raises(ZeroDivisionError), noting_modules():
        raise ZeroDivisionError
    assert dict(hooks) == before


def test_what_a_program_puts_into_the_place_of_init_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    original = nn.Module.__init__
    monkeypatch.setattr(nn.Module, "__init__", original)  # put back afterwards

    def tagging(self: nn.Module, *args: object, **kwargs: object) -> None:
        original(self, *args, **kwargs)
        self.scale = 3

    with noting_modules():
        nn.Module.__init__ = tagging
        first = nn.ReLU()
    assert first.scale == nn.ReLU().scale == 3


def test_nothing_is_kept_alive() -> None:
    with noting_modules():
        model = nn.Sequential(nn.Linear(8, 8))
    places = list(module_places._places.values())
    assert all(place.module() is not None for place in places)
    del model
    gc.collect()
    assert not any(place.module() is not None for place in places)
