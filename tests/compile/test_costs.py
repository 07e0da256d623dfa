"""What is measured in warm calls of real models: what is there, and never how long it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.run.cost import Part
from inspector.shared.request import Request
from tests import golden
from tests.compile import warm_python

HEAD = "import torch\n"
BETWEEN = """
def model(x):
    x = torch.relu(x + 1)
    print("between")
    return x * 2
example_inputs = (torch.ones(64, 64),)
"""
LOOP = """
def model(x):
    for _ in range(3):
        x = torch.relu(x + 1)
        print("loop")
    return x
example_inputs = (torch.ones(64),)
"""
COUNTS = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
        self.drawn = []
    def forward(self, x):
        self.seen += 1
        torch._dynamo.graph_break()
        x = torch.nn.functional.dropout(x, 0.5)
        torch._dynamo.graph_break()
        log(float(self.seen), float(x.sum()))
        return x
def log(seen, total):
    with open("seen.txt", "a") as file:
        print(seen, total, file=file)
model = Model()
example_inputs = (torch.ones(512),)
"""
TRAINED = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
    def forward(self, x):
        x = self.first(x).relu()
        torch._dynamo.graph_break()
        return self.second(x).relu()
model = Model()
example_inputs = (torch.ones(4, 8),)
"""
WHOLE = "def model(x):\n    return x.relu() + 1\nexample_inputs = (torch.ones(8),)\n"
GENERATOR = "def model(x):\n    yield x + 1\nexample_inputs = (torch.ones(8),)\n"
REST = """
W = torch.ones(300, 300)
def model(x, idx):
    h = x + 1
    counts = torch.bincount(idx, minlength=4)
    for e in range(2):
        rows = torch.nonzero(idx == e)
        if rows.numel() == 0: continue
        h = torch.mm(h, W)
    return h, counts
example_inputs = (torch.ones(300, 300), torch.arange(8) % 4)
"""
# Names of layers are constants of a graph, and three compilations are one more than is allowed.
LIMIT = """
W = torch.ones(300, 300)
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.number = 0
    def forward(self, x):
        x = x + 1
        print("between")
        self.number += 1
        return torch.mm(x, W), ("a", "b", "c", "d")[self.number % 4]
torch._dynamo.config.recompile_limit = 2
model = Model()
example_inputs = [(torch.ones(300, 300),)] * 3  # calls that we add do not count
"""
WHOLE_LIMIT = LIMIT.replace('print("between")', "x = x.relu()")
NESTED = """
def inner(x):
    x = torch.relu(x + 1)
    print("inner")
    return x * 2
def middle(x):
    return inner(x) + 3
def model(x):
    return middle(x) * 2
example_inputs = (torch.ones(64, 64),)
torch._dynamo.config.nested_graph_breaks = True
"""
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "between": (BETWEEN, {}),
    "loop": (LOOP, {}),
    "rest": (REST, {}),
    "limit": (LIMIT, {}),
    "whole limit": (WHOLE_LIMIT, {}),
    "counts": (COUNTS, {"calls": 4}),
    "trained": (TRAINED, {"train": True, "backend": "aot_eager"}),
    "nested": (NESTED, {}),
    "whole": (WHOLE, {}),
    "generator": (GENERATOR, {}),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    """All cases, recorded in forks of one process that has torch."""
    found = {}
    for name, (source, options) in CASES.items():
        folder = tmp_path_factory.mktemp(name)
        (folder / "model.py").write_text(HEAD + source)
        warm_python.record(folder / "recording", Request("model.py", **options), folder)
        report = golden.rendered(golden.report_of(folder / "recording"), "json")
        found[name] = (folder, json.loads(report))
    return found


def breaks(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for item in report["findings"] if item["rule"] == "graph-break"]


def test_a_break_has_parts_bytes_and_executions(reports: Any) -> None:
    (finding,) = breaks(reports["between"][1])
    cost = finding["cost"]
    assert finding["cost_kind"] == "measured"
    assert finding["executions_per_call"] == 1
    # relu writes 64 * 64 floats; what reads them could have been fused with it.
    assert (finding["crossing_bytes"], cost["fusible_bytes"]) == (16384, 16384)
    assert {"guards", "resume bytecode", "Python"} <= cost["parts_ns"].keys()
    assert finding["cost_ns"] == cost["outside_ns"] + cost["crossing_ns"] > 0
    assert cost["call_ns"] > 0
    assert 3 <= cost["calls"] <= 20


def test_with_nested_graph_breaks_the_rest_of_all_callers_is_one_graph(reports: Any) -> None:
    report = reports["nested"][1]
    (finding,) = breaks(report)
    assert (finding["records"], finding["executions_per_call"]) == (1, 1)
    assert (finding["cost_kind"], finding["crossing_bytes"]) == ("measured", 16384)
    # What is measured is what was compiled before: our marks make Dynamo compile nothing.
    names = [frame["name"] for frame in report["frames"]]
    assert names == ["model", "torch_dynamo_resume_in_model_at_10"]


def test_a_function_that_was_given_up_has_the_whole_call(reports: Any) -> None:
    (finding,) = breaks(reports["loop"][1])
    assert finding["cost"]["is_whole_frame"]
    assert finding["cost_ns"] > 0
    (skipped,) = reports["generator"][1]["findings"]
    assert skipped["cost"]["is_whole_frame"]


def test_a_rest_that_runs_eagerly_belongs_to_the_break_that_made_it(reports: Any) -> None:
    loop, before = breaks(reports["rest"][1])  # by cost
    assert loop["line"] == before["line"] + 2
    assert (loop["cost_kind"], before["cost_kind"]) == ("measured", "measured")
    assert (loop["executions_per_call"], before["executions_per_call"]) == (None, 1)
    assert loop["cost"]["parts_ns"]["eager operators"] > before["cost"]["outside_ns"]
    assert loop["cost"]["shared_ns"] == before["cost"]["shared_ns"] == 0


def test_what_runs_eagerly_behind_the_recompile_limit_is_no_cost_of_a_break(reports: Any) -> None:
    (before,) = breaks(reports["limit"][1])
    limit = next(item for item in reports["limit"][1]["findings"] if item["rule"] == "recompile")
    assert (limit["cost_kind"], before["cost_kind"]) == ("measured", "measured")
    assert "eager operators" not in before["cost"]["parts_ns"]
    assert limit["cost"]["parts_ns"]["eager operators"] > before["cost"]["outside_ns"]
    (whole,) = reports["whole limit"][1]["findings"]
    assert whole["cost"]["parts_ns"]["eager operators"] > 0
    assert whole["cost"]["is_whole_frame"]


@pytest.mark.parametrize("name", ["between", "loop", "rest", "trained"])
def test_costs_are_parts_of_the_call_and_parts_add_up(reports: Any, name: str) -> None:
    found = breaks(reports[name][1])
    for cost in (finding["cost"] for finding in found):
        assert sum(cost["parts_ns"].values()) == pytest.approx(cost["outside_ns"], abs=len(Part))
        assert cost["outside_ns"] + cost["crossing_ns"] <= cost["call_ns"]
    shared = max(finding["cost"]["shared_ns"] for finding in found)
    outside = sum(finding["cost"]["outside_ns"] for finding in found)
    assert outside + shared <= found[0]["cost"]["call_ns"] + len(found)


def test_every_measured_call_finds_the_same_state(reports: Any) -> None:
    folder, _ = reports["counts"]
    seen = [line.split() for line in (folder / "seen.txt").read_text().splitlines()]
    # Two calls that are not measured, then four that are timed and four that are profiled.
    assert [float(number) for number, _ in seen] == [1.0, 2.0, *[3.0] * 8]
    assert len({total for _, total in seen[2:]}) == 1  # dropout drew the same numbers


def test_backward_graphs_are_held_apart_too(reports: Any) -> None:
    (finding,) = breaks(reports["trained"][1])
    assert finding["cost"]["parts_ns"]["between backward graphs"] > 0


def test_without_a_break_there_is_a_call_to_time_and_no_more(reports: Any) -> None:
    folder, report = reports["whole"]
    assert report["findings"] == []
    run = golden.report_of(folder / "recording").run
    (profile,) = run.processes[0].profiles
    assert profile.plain_ns
    assert profile.threads == ()
