"""``inspect profile`` on the CPU: C++ and operators timed in place, and one kernel alone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = schema_of("profile")
ALONE = schema_of("kernel-bench")
SHORT = ("--seconds", "0.2")
MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 128), nn.Linear(128, 64)
        self.register_buffer("calls", torch.zeros(64))

    def forward(self, x):
        x = torch.relu(self.first(x))
        values = x
        if x.sum() > 0:
            values = x[:8].unique()
        self.calls.add_(1)
        return torch.softmax(self.second(x) + self.calls, -1), values

model = Net()
example_inputs = (torch.randn(256, 64),)
"""


# Eight graphs of one small operation each: what is around them takes longer than they do.
BREAKS = """
import torch

def model(x):
    x = x * 2
    torch._dynamo.graph_break()
    x = x + 1
    torch._dynamo.graph_break()
    x = x * 3
    torch._dynamo.graph_break()
    x = x + 4
    torch._dynamo.graph_break()
    x = x * 5
    torch._dynamo.graph_break()
    x = x + 6
    torch._dynamo.graph_break()
    x = x * 7
    torch._dynamo.graph_break()
    return x + 8

example_inputs = (torch.randn(8),)
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory, machine: Path) -> Path:
    folder = tmp_path_factory.mktemp("profile")
    (folder / "model.py").write_text(MODEL)
    asked = "--no-grad", "--kernel", "softmax", "--save", "kept"
    done = started(folder, machine, "model.py", *asked, *SHORT)
    assert done.returncode == 0, done.stderr
    return folder


def started(folder: Path, machine: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*INSPECT, "profile", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(machine),
             "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip


def inspected(folder: Path, *arguments: str) -> str:
    done = started(folder, folder, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def report(recording: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(inspected(recording, "kept", "--format", "json"))
    return found


def test_the_report_follows_its_schema(report: dict[str, Any]) -> None:
    jsonschema.validate(report, SCHEMA)
    assert report["ceilings"]["values"]["copy_bytes_per_s"] > 1e8
    (profile,) = report["profiles"]
    assert profile["device"]["kind"] == "cpu"
    assert profile["faster_than_eager"] > 0
    low, high = profile["faster_than_eager_interval"]
    assert low <= profile["faster_than_eager"] <= high


def test_every_kernel_and_operator_leads_to_its_line(report: dict[str, Any]) -> None:
    (profile,) = report["profiles"]
    known = sum(work["time_ns"] for work in profile["work"] if work["lines"])
    seen = sum(work["time_ns"] for work in profile["work"])
    assert known > 0.97 * seen
    # What is in no statement is not known either.
    whole = seen + profile["outside_statements_ns"]
    assert profile["attributed"] == pytest.approx(known / whole)
    assert 0 < profile["attributed"] <= 1
    at = {(work["name"], line["line"]) for work in profile["work"] for line in work["lines"]}
    lines = {line for _, line in at}
    texts = MODEL.split("\n")
    for part in ("self.first(x)", "x[:8].unique()", "torch.softmax"):
        number = next(n for n, text in enumerate(texts, 1) if part in text)
        assert number in lines, part
    unique = next(n for n, text in enumerate(texts, 1) if "x[:8].unique()" in text)
    assert ("aten::_unique2", unique) in at


def test_the_parts_of_a_call_add_up(report: dict[str, Any]) -> None:
    (profile,) = report["profiles"]
    assert profile["busy_ns"] + profile["idle_ns"] == pytest.approx(
        max(profile["wall_ns"], profile["busy_ns"])
    )
    assert sum(profile["idle_by_cause_ns"].values()) == pytest.approx(profile["idle_ns"])
    worked_ns = sum(work["time_ns"] for work in profile["work"])
    assert sum(line["time_ns"] for line in profile["lines"]) <= 1.001 * worked_ns
    # All of it is of the same calls, and so are the shares of the bar.
    outside_ns = profile["outside_statements_ns"]
    assert worked_ns + outside_ns == pytest.approx(profile["shown_ns"])
    part = profile["busy_ns"] / profile["wall_ns"]
    assert worked_ns / profile["shown_ns"] == pytest.approx(part)


def test_what_makes_many_graph_breaks_slower_than_eager_is_divided_and_adds_up(
    tmp_path: Path, machine: Path
) -> None:
    (tmp_path / "model.py").write_text(BREAKS)
    asked = "--no-grad", "--save", "kept", "--format", "json"
    done = started(tmp_path, machine, "model.py", *asked, *SHORT)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    (profile,) = found["profiles"]
    gap = profile["compiled_less_eager"]
    assert gap["whole_ns"] == pytest.approx(profile["wall_ns"] - profile["eager_ns"])
    total = sum(part["more_ns"] for part in gap["parts"]) + gap["rest_ns"]
    assert total == pytest.approx(gap["whole_ns"])
    # Work is in proportion on the CPU, and so leaves nothing over.
    assert gap["rest_ns"] == pytest.approx(0, abs=1)
    for side, whole in (("compiled_ns", "wall_ns"), ("eager_ns", "eager_ns")):
        assert sum(part[side] for part in gap["parts"]) == pytest.approx(profile[whole])
    parts = {part["cause"]: part for part in gap["parts"]}
    for cause in ("guards", "wrappers", "launching", "graph-break"):
        assert parts[cause]["eager_ns"] == 0
        assert parts[cause]["compiled_ns"] > 0
    assert parts["work"]["eager_ns"] > 0
    assert parts["outside"]["eager_ns"] > 0
    assert profile["eager_launches"] == 8
    assert "torch code around graphs" in inspected(tmp_path, "kept")


def test_what_a_call_allocates_leads_to_its_lines(report: dict[str, Any]) -> None:
    (profile,) = report["profiles"]
    memory = profile["memory"]
    parameters = 4 * (2 * 64 * 128 + 64 + 128 + 64)
    for call in (memory["compiled"], memory["eager"]):
        assert call["peak_known"]
        assert call["before_bytes"] == parameters + 4 * 256 * 64
        assert sum(row["bytes"] for row in call["at_peak"]) == call["peak_bytes"]
        own = [row for row in call["at_peak"] if row["what"] in {"intermediate", "output"}]
        assert all(row["lines"] for row in own if row["bytes"] > 1 << 15)
    assert memory["ratio"] is not None


CONTAINER = """
from torch import nn
import torch

model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 8))
example_inputs = (torch.randn(32, 64),)
"""


def profile_of(model: str, folder: Path, machine: Path, *options: str) -> str:
    """The JSON report of one profile, without gradients."""
    (folder / "model.py").write_text(model)
    shown = ("--format", "json", "--no-progress", *SHORT)
    done = started(folder, machine, "model.py", "--no-grad", *shown, *options)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_parts_of_a_container_have_its_modules_and_no_line_of_torchs(
    tmp_path: Path, machine: Path
) -> None:
    text = profile_of(CONTAINER, tmp_path, machine)
    assert "external_utils" not in text
    (found,) = json.loads(text)["profiles"]
    assert {"* (Linear)", "1"} <= set(found["modules"])
    products = [item for item in found["work"] if item["operators"] == ["addmm"]]
    lines = [line for item in products for line in item["lines"]]
    assert [(line["line"], line["makes"]) for line in lines] == [(5, ["Linear"])] * 2


WRAPPED = """
import functools
import torch
from torch import nn

def wrapping(function):
    @functools.wraps(function)
    def wrapper(self, x):
        return function(self, x)
    return wrapper

class Net(nn.Module):
    @wrapping
    def forward(self, x):
        return torch.relu(x @ x)

model = Net()
example_inputs = (torch.randn(64, 64),)
"""


def test_what_is_around_a_function_has_its_def_and_not_its_decorator(
    tmp_path: Path, machine: Path
) -> None:
    (found,) = json.loads(profile_of(WRAPPED, tmp_path, machine))["profiles"]
    assert {line["line"] for line in found["lines"]} == {8, 15}


def test_a_kernel_of_the_cpu_is_timed_alone(recording: Path) -> None:
    report = json.loads(inspected(recording, "kept", "--kernel", "softmax", "--format", "json"))
    jsonschema.validate(report, ALONE)
    assert report["kernel"].startswith("cpp_fused")
    assert report["kernel_kind"] == "cpp"
    assert report["in_place"]["launches"] == 1
    assert report["in_place"]["lines"]
    assert report["cold"]["count"] == report["warm"]["count"] == 100
    assert report["bytes"] > 2 * 256 * 64 * 4
