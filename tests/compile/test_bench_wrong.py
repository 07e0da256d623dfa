"""``inspect bench`` where what is compiled gives or leaves something else than eager PyTorch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from inspector.records.bench import Settled
from inspector.run.sources.recording import opened, read_run
from tests.compile.benches import SHORT, bench

MODEL = """
import torch
from torch import nn
from torch._dynamo import register_backend


@register_backend
def forgets(graph, _inputs):
    return lambda *args: graph(*(item.detach().clone() for item in args))


@register_backend
def halves(graph, _inputs):
    return lambda *args: tuple(item.half() for item in graph(*args))


@register_backend
def nothing(graph, _inputs):
    return lambda *args: tuple(None for _ in graph(*args))


class Cache:
    def __init__(self, keys):
        self.keys = keys


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(8)

    def forward(self, x, mask):
        y = self.norm(x) * mask
        keys = y + 1  # torch 2.14 breaks the graph in the last line
        mask.mul_(2)
        return {"y": y, "cache": Cache(keys), "n": 3, "why": object()}


model = Net().train()
example_inputs = (torch.randn(16, 8), torch.ones(8))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wrong")


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    (folder / "model.py").write_text(MODEL)
    backends = "aot_eager,forgets,halves,nothing"
    options = ("--modes", "none", "--backends", backends, *SHORT)
    done = bench(folder, "model.py", *options, "--format", "json", "--save", "recording")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, schema_of("bench"))
    return found


def others(report: dict[str, Any], label: str) -> dict[str, tuple[str | None, str | None]]:
    """What is of another kind than in eager PyTorch, on both sides, of first calls."""
    (row,) = (item for item in report["groups"][0]["rows"] if item["label"] == label)
    assert row["wrong"] == (label not in {"eager", "aot_eager"})
    return {
        error["name"].replace(" of input 1", "").replace(" after input 1", ""):
            (error["is"], error["is_in_reference"])
        for error in row["errors"]
        if error["reference"] == "eager" and "again" not in error["name"]
        and (error["is"] or error["is_in_reference"])
    }  # fmt: skip


def test_what_is_to_be_changed_and_is_not_is_named(report: dict[str, Any]) -> None:
    assert not others(report, "aot_eager")
    found = others(report, "forgets")
    assert found["argument mask"] == (None, "float32[8]")
    assert found["buffer norm.running_mean"] == (None, "float32[8]")
    verdict = " ".join(report["groups"][0]["verdict"])
    assert "argument mask is not changed by input 1, but eager changes it" in verdict


def test_all_put_everything_back_where_one_has_to(folder: Path, report: dict[str, Any]) -> None:
    """What changes nothing would have no pauses between its calls, and eager PyTorch has."""
    labels = [row["label"] for row in report["groups"][0]["rows"]]
    with opened(folder / "recording") as recording:
        events = read_run(recording).records(Settled)
    settled = {labels[event.combination] for event in events if event.restores}
    assert "eager" in settled
    assert "forgets" not in settled
    assert any("state is restored before each call" in notice for notice in report["notices"])


def test_another_dtype_and_nothing_at_all_are_named(report: dict[str, Any]) -> None:
    halves, nothing = others(report, "halves"), others(report, "nothing")
    assert halves["output['y']"] == ("float16[16, 8]", "float32[16, 8]")
    assert halves["output['cache'].keys"] == ("float16[16, 8]", "float32[16, 8]")
    assert nothing["output['y']"] == ("None", "float32[16, 8]")
    verdict = " ".join(report["groups"][0]["verdict"])
    assert "output['y'] of input 1 is float16[16, 8] instead of float32[16, 8]" in verdict
    for row in report["groups"][0]["rows"]:
        assert "output of input 1['why']" in row["not_compared"]
    (said,) = (item for item in report["notices"] if "not compared: " in item)
    assert said.endswith("output['why'] of input 1")


RIGHT = """
import torch
from torch import nn


class Cache:
    def __init__(self):
        self.layers = []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(8, momentum=0.0)  # what it changes stays as it was
        self.first = nn.Linear(8, 8)
        self.second = nn.BatchNorm1d(8)  # the bias before it has no gradient but rounding
        self.gate = nn.Linear(8, 1)
        self.last = nn.LayerNorm(8)  # nor has anything, of the sum of what it gives

    def forward(self, x, cache):
        y = self.first(self.norm(x)) if x.sum() == 0 else self.second(self.first(x))
        if self.gate(y).mean() > 1e9:  # its gradient is none in eager PyTorch, and 0 compiled
            y = y + 1
        cache.layers.append(y * 2)
        return {"y": self.last(y), "loss": y.mean().item()}


model = Net().train()
example_inputs = [(torch.zeros(16, 8), Cache()), (torch.randn(16, 8), Cache())]
"""


@pytest.mark.parametrize(
    "options",
    [
        ("--train", "--optimizer", "AdamW", "--modes", "none", "--backends", "aot_eager"),
        ("--train", "--modes", "default"),
    ],
)
def test_what_differs_by_how_it_is_compiled_alone_is_right(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "model.py").write_text(RIGHT)
    done = bench(tmp_path, "model.py", *options, *SHORT, "--format", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert len(report["groups"]) == 2
    for group in report["groups"]:
        for row in group["rows"]:
            assert not row["failure"]
            assert not row["wrong"], group["verdict"]
            names = {error["name"].partition(" input ")[0] for error in row["errors"]}
            assert "argument cache.layers[0] after" in names
