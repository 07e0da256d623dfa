"""Whole numbers that a rounding decides, and those that are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import fx

from inspector.capture.benching.choices import hangs_on_rounding
from tests.compile.benches import bench

pytestmark = pytest.mark.compile
EPSILON = torch.finfo(torch.float32).eps
# Row 0 has two largest elements that are the same, row 1 one that is the largest by far.
X = torch.tensor([[1.0, 3.0, 3.0 * (1 - EPSILON)], [1.0, 2.0, 9.0]])


def of(function: Callable[..., object], name: str) -> tuple[fx.GraphModule, fx.Node]:
    """A graph as Dynamo gives it, with an operator of it."""
    graph = fx.symbolic_trace(function)
    return graph, next(node for node in graph.graph.nodes if node.name == name)


@pytest.mark.parametrize(
    ("mine", "expected"),
    [([2, 2], True), ([1, 1], False), ([2, 0], False)],
    ids=["the other of two", "what no rounding gives", "one of both"],
)
def test_the_largest_of_two_that_are_the_same_may_be_either(
    mine: list[int], *, expected: bool
) -> None:
    graph, node = of(lambda x: (x * 1.0).argmax(-1), "argmax")
    assert hangs_on_rounding(graph, node, (X,), torch.tensor(mine)) is expected


def test_of_an_operator_with_several_results_it_is_known_as_well() -> None:
    graph, node = of(lambda x: torch.topk(x, 1)[1], "getitem")
    assert hangs_on_rounding(graph, node, (X,), torch.tensor([[2], [2]]))
    assert not hangs_on_rounding(graph, node, (X,), torch.tensor([[1], [1]]))


def test_what_is_changed_behind_an_operator_is_nothing_that_it_gets() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        y = x * 1.0
        place = y.argmax(-1)
        y.zero_()
        return place

    graph, node = of(model, "argmax")
    assert hangs_on_rounding(graph, node, (X,), torch.tensor([2, 2]))


def test_a_sign_changes_by_no_rounding_of_its_own_element() -> None:
    graph, node = of(lambda x: (x - 3.0 + 3.0 * EPSILON / 2) > 0, "gt")
    mine = torch.tensor([[False, True, False], [False, False, False]])
    assert not hangs_on_rounding(graph, node, (X,), mine)


def test_fractions_never_do() -> None:
    graph, node = of(lambda x: x * 2.0, "mul")
    assert not hangs_on_rounding(graph, node, (X,), X)


NUDGING = """
import torch
from torch._dynamo import register_backend

def rounded(y, by):
    return y * (1 + by * torch.arange(4))

@register_backend(name="nudging")
def nudging(graph, inputs):
    for node in graph.graph.nodes:
        if node.target in {PLACES}:
            with graph.graph.inserting_after(node):
                after = graph.graph.call_function({CHANGE}, (node, {BY}))
            node.replace_all_uses_with(after, delete_user_cb=lambda user: user is not after)
    graph.recompile()
    return graph

def model(x):
    y = torch.sin(x)
    return y.argmax(-1), y

x = torch.ones(8, 4)
x[4:, 2] = 1.5
example_inputs = (x,)
"""


@pytest.mark.parametrize(
    ("places", "change", "by", "wrong"),
    [
        ("(torch.sin,)", "rounded", "1.2e-7", False),
        ('("argmax",)', "torch.add", "1", True),
    ],
    ids=["a rounding before it", "the operator itself"],
)
def test_what_a_rounding_decides_is_not_called_wrong(
    tmp_path: Path, places: str, change: str, by: str, *, wrong: bool
) -> None:
    text = NUDGING.replace("{PLACES}", places).replace("{CHANGE}", change).replace("{BY}", by)
    (tmp_path / "model.py").write_text(text)
    done = bench(
        tmp_path, "model.py", "--modes", "none", "--backends", "nudging", "--rounds", "3",
        "--sessions", "1", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    _, row = report["groups"][0]["rows"]
    assert bool(row["wrong"]) is wrong
    assert any("a rounding decides it" in notice for notice in report["notices"]) is not wrong
    assert row["parting"]["operator"] == "Tensor.argmax"


def nudged(folder: Path, model: str, *more: str) -> Any:
    """The report on a model whose sines are other roundings, and what else its backend does."""
    text = NUDGING.replace("{PLACES}", "(torch.sin,)").replace("{CHANGE}", "rounded")
    head, _, _ = text.replace("{BY}", "1.2e-7").partition("\ndef model")
    (folder / "model.py").write_text(head + model)
    options = ("--modes", "none", "--backends", "nudging", "--rounds", "3", "--sessions", "1")
    done = bench(folder, "model.py", *options, "--format", "json", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


TIED = """
x = torch.ones(8, 4)
x[4:, 2] = 1.5
"""
BEHIND = """
def by_half(y):
    return y * 1.5

def model(x):
    y = torch.sin(x)
    place = y.argmax(-1)
    return place, y.gather(-1, place[:, None]), {LAST}
"""


@pytest.mark.parametrize(
    ("last", "operator"),
    [("torch.cos(y)", "Tensor.argmax"), ("torch.tanh(y)", "torch.tanh")],
    ids=["what follows from it", "what is wrong behind it"],
)
def test_behind_a_choice_what_is_wrong_is_found_all_the_same(
    tmp_path: Path, last: str, operator: str
) -> None:
    wrong = """
def wrongly(y):
    return torch.tanh(y) * 1.01

inner = nudging

@register_backend(name="nudging_and_wrong")
def nudging_and_wrong(graph, inputs):
    graph = inner(graph, inputs)
    for node in graph.graph.nodes:
        if node.target is torch.tanh:
            node.target = wrongly
    graph.recompile()
    return graph
"""
    text = wrong + BEHIND.replace("{LAST}", last) + TIED + "example_inputs = (x,)\n"
    report = nudged(tmp_path, text, "--backends", "nudging_and_wrong")
    _, row = report["groups"][0]["rows"]
    assert bool(row["wrong"]) is (operator == "torch.tanh")
    assert row["parting"]["operator"] == operator


def test_each_input_that_is_off_is_looked_at(tmp_path: Path) -> None:
    model = """
def model(x):
    y = torch.sin(x)
    return y.argmax(-1), y
"""
    several = "example_inputs = [(x,), (torch.rand(8, 4),), (x[2:],)]\n"
    report = nudged(tmp_path, model + TIED + several)
    rows = [group["rows"][1] for group in report["groups"]]
    assert [row["wrong"] for row in rows] == [False, False, False]
    partings = [row["parting"] and row["parting"]["operator"] for row in rows]
    assert partings == ["Tensor.argmax", None, "Tensor.argmax"]
