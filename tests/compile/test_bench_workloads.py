"""``inspect bench`` on the CPU: a training step, other batches, many inputs, many models."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.compile.benches import ROOT, bench
from tests.compile.processes import INSPECT, environment

PIECES = """
import os
import torch
from torch import nn

# What compiles beside this process loads torch, which would bind all of it to one core.
assert "OMP_PROC_BIND" not in os.environ
assert not hasattr(os, "sched_getaffinity") or (
    os.sched_getaffinity(0) == os.sched_getaffinity(os.getppid())
)

model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 4))
example_inputs = (torch.randn(16, 8),)
"""
SIZES = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, scale=1):
        return torch.relu(self.linear(x)) * scale

model = Net()
example_inputs = (torch.randn(4, 8),)
"""


SLOW = """
import time
import torch
from torch import nn
from torch._dynamo import register_backend
from torch._inductor.compile_fx import compile_fx

@register_backend(name="slow")
def slow(graph, inputs):
    compiled = compile_fx(graph, inputs)
    def call(*args):
        time.sleep(0.02)
        return compiled(*args)
    return call

model = nn.Sequential(nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 4))
example_inputs = (torch.randn(64, 256),)
"""


def schema(name: str) -> Any:
    return json.loads((ROOT / "docs" / "schema" / f"{name}-1.schema.json").read_text("utf-8"))


def test_a_training_step_with_other_batches(tmp_path: Path) -> None:
    (tmp_path / "pieces.py").write_text(PIECES)
    done = bench(
        tmp_path, "pieces.py", "--modes", "none", "--backends", "aot_eager", "--train",
        "--optimizer", "SGD", "--batch", "4,2", "--sessions", "1", "--rounds", "3", "--format",
        "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [item["inputs"] for item in report["groups"]] == ["float32[4, 8]", "float32[2, 8]"]
    assert all(row["latency_ns"] for item in report["groups"] for row in item["rows"])
    group = report["groups"][0]
    assert [item["label"] for item in group["rows"]] == [
        "eager", "aot_eager", "aot_eager + optimizer compiled"
    ]  # fmt: skip
    assert all(item["latency_ns"] for item in group["rows"])
    names = {error["name"] for error in group["rows"][1]["errors"]}
    assert any(name.startswith("gradient of 0.weight") for name in names)
    # Dropout: Inductor's code draws other numbers, and that is no fault.
    assert group["rows"][1]["draws_random_numbers"]
    assert not group["rows"][1]["wrong"]
    assert any("random numbers" in notice for notice in report["notices"])


def test_many_inputs_with_their_first_and_their_cached_calls(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text(SIZES)
    done = bench(
        tmp_path, "sizes.py", "--vary", "x[0]=4,5,6,8", "--modes", "none", "--backends",
        "aot_eager", "--rounds", "3", "--format", "json", "-o", "varied.md",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, schema("bench"))
    found = {item["setting"]: item for item in report["varied"]}
    compiled = {label: [i["compiled"] for i in item["inputs"]] for label, item in found.items()}
    # Automatic: the second size compiles once more, dynamic; dynamic: once; static: each of four;
    # padded: 5, 6 and 8 are 8.
    assert compiled == {
        "eager": [0, 0, 0, 0],
        "aot_eager": [1, 1, 0, 0],
        "aot_eager + dynamic": [1, 0, 0, 0],
        "aot_eager + static": [1, 1, 1, 1],
        "aot_eager + padded": [1, 1, 0, 0],
    }
    (because,) = found["aot_eager"]["inputs"][1]["recompiled_because"]
    assert because == "the size of dimension 0 of x changes"
    assert [item["label"] for item in found["eager"]["inputs"]] == [
        "x[0]=4", "x[0]=5", "x[0]=6", "x[0]=8"
    ]  # fmt: skip
    for item in found.values():
        assert item["one_call_of_each_ns"] == pytest.approx(
            sum(each["cached_call_ns"] for each in item["inputs"])
        )
    text = (tmp_path / "varied.md").read_text()
    assert "again: the size of dimension 0 of x changes" in text
    assert bench(tmp_path, "sizes.py", "--vary", "y[0]=1").returncode == 2


UNEVEN = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        if x.shape[1] == 6:
            raise ValueError("six is too many")
        y = self.linear(x)
        return torch.softmax(y.sum(1, keepdim=True) * y, 1), y.reshape(-1), x

model, example_inputs = Net(), (torch.randn(2, 4, 8),)
"""


def test_an_input_that_fails_and_results_that_padding_changes_are_rows(tmp_path: Path) -> None:
    (tmp_path / "uneven.py").write_text(UNEVEN)
    done = bench(
        tmp_path, "uneven.py", "--vary", "x[1]=5,6,8", "--modes", "none", "--backends",
        "aot_eager", "--shapes", "static,padded", "--rounds", "3", "--format", "json", "-o",
        "uneven.md",
    )  # fmt: skip
    assert done.returncode == 3  # the model fails with one of them
    report = json.loads(done.stdout)
    jsonschema.validate(report, schema("bench"))
    found = {item["setting"]: item for item in report["varied"]}
    for label, item in found.items():
        failures = [each["failure"] for each in item["inputs"]]
        # A padded call of x[1]=6 is one of x[1]=8, and does not fail.
        fails = label != "aot_eager + padded"
        assert [bool(failure) for failure in failures] == [False, fails, False]
        calls = [each["cached_call_ns"] for each in item["inputs"]]
        assert item["one_call_of_each_ns"] == pytest.approx(calls[0] + calls[2])
        assert item["left_out"] == ["x[1]=6"]
    told = found["eager"]["inputs"][1]["failure"]
    assert "with input 2, float32[2, 6, 8] without torch.compile (ValueError: six is too" in told
    padded = [group["rows"][-1] for group in report["groups"]]
    # Padding is in the softmax of x[1]=5; x[1]=8 has none, and nobody knows what 6 should give.
    assert [row["padding_changes_results"] for row in padded] == [True, False, False]
    assert [row["wrong"] for row in padded] == [False, False, False]
    assert [row["not_compared"] for row in padded] == [["output of input 1[1]"], [], []]
    whole = [error for error in padded[0]["errors"] if error["name"] == "output of input 1[2]"]
    assert whole[0]["relative"] == 0
    text = (tmp_path / "uneven.md").read_text()
    assert "fails, as without `torch.compile`" in text
    assert "PADDING" in text
    assert "gives other results than eager PyTorch for some inputs" in text


def test_where_nothing_is_faster_a_profile_says_where_the_time_goes(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    options = ("--modes", "none", "--backends", "slow", "--sessions", "1", "--rounds", "4")
    done = bench(tmp_path, "slow.py", *options, "--format", "json", "--save", "kept.zip")
    assert done.returncode == 0, done.stderr
    (group,) = json.loads(done.stdout)["groups"]
    assert group["best_latency"] is None
    profiled = [line for line in group["verdict"] if line.startswith("profiled with slow: ")]
    assert any("% of the time is in" in line and "addmm" in line for line in profiled)
    # The recording has the profile, and says the same of it.
    again = json.loads(bench(tmp_path, "kept.zip", "--format", "json").stdout)
    assert again["groups"][0]["verdict"] == group["verdict"]


def test_a_collection_has_a_line_for_each_model(tmp_path: Path) -> None:
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "pieces.py").write_text(PIECES)
    (tmp_path / "zoo" / "broken.py").write_text("raise RuntimeError('no such weights')\n")
    arguments = ("zoo", "--modes", "none", "--backends", "aot_eager", "--rounds", "3")
    done = bench(tmp_path, *arguments, "--format", "json", "-o", "zoo.csv")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, schema("bench-collection"))
    broken, pieces = report["models"]
    assert "no such weights" in broken["failure"]
    assert [item["label"] for item in pieces["rows"]] == ["eager", "aot_eager"]
    (summary,) = report["settings"]
    assert (summary["models"], summary["ran"], summary["captured"]) == (2, 1, 1)
    assert summary["speedup"] == pytest.approx(pieces["rows"][1]["faster_than_eager"])
    with (tmp_path / "zoo.csv").open() as stream:
        assert [line["setting"] for line in csv.DictReader(stream)] == ["eager", "aot_eager"]


IMPORTS = """
import torch
from torch import nn
from parts.widths import WIDTH

model = nn.Sequential(nn.Linear(8, WIDTH), nn.ReLU())
example_inputs = (torch.randn(4, 8),)
"""


def test_a_collection_goes_on_where_an_earlier_run_has_ended(tmp_path: Path) -> None:
    widths = tmp_path / "zoo" / "parts" / "widths.py"
    widths.parent.mkdir(parents=True)
    widths.write_text("WIDTH = 8\n")
    model = tmp_path / "zoo" / "imports.py"
    model.write_text(IMPORTS)
    (tmp_path / "zoo" / "broken.py").write_text("raise RuntimeError('no such weights')\n")
    arguments = ("--modes", "none", "--backends", "eager", "--rounds", "3", "--format", "json")

    def measured() -> tuple[dict[str, Any], Any]:
        done = bench(tmp_path, "zoo", *arguments, "--save", "kept")
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        broken, found = report["models"]
        assert "no such weights" in broken["failure"]
        return report, found["rows"]

    report, first = measured()
    assert not any("earlier run" in notice for notice in report["notices"])
    assert report["rounds"] == 3
    report, second = measured()
    assert second == first
    assert any("1 model was measured by an earlier run" in it for it in report["notices"])
    widths.write_text("WIDTH = 9\n")  # what it imports is its code, too
    report, third = measured()
    assert third != first
    assert not any("earlier run" in notice for notice in report["notices"])
    widths.write_text("WIDTH = 8\n")
    assert measured()[1] == first
    # What is damaged is not taken, and stays.
    older, _ = sorted(place for place in (tmp_path / "kept").iterdir() if place.is_dir())
    for log in older.glob("worker-0.1.*"):
        log.unlink()
    assert measured()[1] not in [first, third]
    assert older.exists()


COUNTED = """
from pathlib import Path

import torch
from parts.widths import WIDTH

with Path("tries.txt").open("a") as stream:
    stream.write("x")
raise RuntimeError("no such weights")
"""


def test_what_failed_by_itself_is_not_tried_again_unless_asked(tmp_path: Path) -> None:
    widths = tmp_path / "zoo" / "parts" / "widths.py"
    widths.parent.mkdir(parents=True)
    widths.write_text("WIDTH = 8\n")
    (tmp_path / "zoo" / "counted.py").write_text(COUNTED)
    (tmp_path / "zoo" / "lacks.py").write_text(
        COUNTED.replace("torch\n", "torch, nowhere_at_all\n")
    )

    def tries(*more: str) -> tuple[int, Any]:
        (tmp_path / "tries.txt").write_text("")
        done = bench(
            tmp_path, "zoo", "--modes", "none", "--format", "json", "--save", "kept", *more
        )
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        jsonschema.validate(report, schema("bench-collection"))
        counted, lacks = report["models"]
        assert "no such weights" in counted["failure"]
        assert "nowhere_at_all" in lacks["failure"]  # a package may be there the next time
        return len((tmp_path / "tries.txt").read_text()), report

    first, report = tries()
    assert first > 0
    assert not any("earlier run" in notice for notice in report["notices"])
    again, report = tries()
    assert again == 0
    assert any("1 model failed by itself in an earlier run" in it for it in report["notices"])
    assert tries("--retry")[0] == first
    widths.write_text("WIDTH = 9\n")  # what it imports is its code, too
    assert tries()[0] == first
    assert tries("--tf32", "off")[0] == first
    assert bench(tmp_path, "zoo", "--retry").returncode == 2


HANGS = """
import time
from pathlib import Path

with Path("tries.txt").open("a") as stream:
    stream.write("x")
time.sleep(600)
"""


def test_what_hangs_when_it_is_loaded_pays_its_timeout_once(tmp_path: Path) -> None:
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "hangs.py").write_text(HANGS)
    arguments = ("zoo", "--modes", "none", "--backends", "eager", "--timeout", "12")
    done = bench(tmp_path, *arguments, "--format", "json", "--save", "kept")
    assert done.returncode == 0, done.stderr
    (model,) = json.loads(done.stdout)["models"]
    eager, other = model["rows"]
    assert eager["failure"] == "it was ended after 12 seconds; see --timeout"
    assert other["failure"] == "not tried, because eager PyTorch fails"
    assert (tmp_path / "tries.txt").read_text() == "x"


NEEDS_ALL_MEMORY = """
from pathlib import Path

import torch

if not all(list(Path("beside").glob(f"*{other}*/bench.json")) for other in ("a-py", "c-py")):
    raise torch.OutOfMemoryError("CUDA out of memory")
"""


def test_models_compile_side_by_side_and_their_lines_stay_in_order(tmp_path: Path) -> None:
    (tmp_path / "zoo").mkdir()
    for name in ("a", "c"):
        (tmp_path / "zoo" / f"{name}.py").write_text(PIECES)
    (tmp_path / "zoo" / "b.py").write_text("raise RuntimeError('no such weights')\n")
    # Has no room while the others are at work, and is measured again after them.
    (tmp_path / "zoo" / "d.py").write_text(NEEDS_ALL_MEMORY + PIECES)
    options = ("--modes", "none", "--backends", "aot_eager", "--rounds", "3", "--jobs", "4")
    done = bench(tmp_path, "zoo", *options, "--format", "json", "--save", "beside")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, schema("bench-collection"))
    assert [Path(item["name"]).stem for item in report["models"]] == ["a", "b", "c", "d"]
    assert any("4 models were loaded and compiled side by side" in it for it in report["notices"])
    assert "no such weights" in report["models"][1]["failure"]
    for model in (report["models"][0], *report["models"][2:]):
        for row in model["rows"]:
            assert row["latency_ns"] > 0
            assert [block["round"] for block in row["blocks"]] == [0, 1, 2]
    # While one was timed no other was: all blocks of one come before all of the other.
    blocks = sorted(
        block for place in (tmp_path / "beside").iterdir() for block in blocks_of(place)
    )
    places = [place for _, place in blocks]
    assert len(places) == 3 * 2 * 3  # models, settings, rounds
    assert [len(list(of)) for _, of in itertools.groupby(places)] == [6, 6, 6]


AT_WORK = """
import datetime
import time
from pathlib import Path

import torch

until = time.monotonic() + 300  # on a machine that has other things to do
with open("ticks", "a") as stream:
    over = False
    while not over and time.monotonic() < until:
        # Asked before the tick: one is always written after the other's last block.
        over = bool(list(Path("beside").glob("*-a-py/bench.json")))
        print(datetime.datetime.now().time().isoformat("microseconds"), file=stream)
        time.sleep(0.002)

model = torch.sin
example_inputs = (torch.ones(2),)
"""


def test_while_one_is_timed_processes_of_others_stand_still(tmp_path: Path) -> None:
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "a.py").write_text(
        "import torch\nmodel = torch.sin\nexample_inputs = (torch.ones(2),)\n"
    )
    (tmp_path / "zoo" / "b.py").write_text(AT_WORK)
    options = ("--modes", "none", "--backends", "eager", "--rounds", "3", "--jobs", "2")
    # Not with the Python that is warm: what it forks is no child of the recorder.
    done = subprocess.run(
        [*INSPECT, "bench", "zoo", *options, "--format", "json", "--save", "beside"],
        cwd=tmp_path, env=environment(ROOT), capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ends = sorted(time for time, _ in blocks_of(tmp_path / "beside" / "001-zoo-a-py"))
    ticks = (tmp_path / "ticks").read_text().split()
    assert len(ends) == 6
    assert min(ticks) < ends[0] < ends[-1] < max(ticks)
    assert not [tick for tick in ticks if ends[0] < tick < ends[-1]]
    slow = json.loads(done.stdout)["models"][1]
    assert all(row["latency_ns"] > 0 for row in slow["rows"])


def blocks_of(recording: Path) -> Iterator[tuple[str, str]]:
    """When each block of calls in a recording ended, and which recording it is."""
    for log in recording.glob("*.log"):
        lines = log.read_text().split("\n")
        for head, payload in itertools.pairwise(lines):
            if "inspector_bench" in head and '"what": "block"' in payload:
                yield head.split()[1], recording.name
