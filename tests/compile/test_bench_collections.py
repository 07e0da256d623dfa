"""``inspect bench`` on the CPU: many models."""

from __future__ import annotations

import collections
import csv
import itertools
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.compile.benches import PIECES, ROOT, bench, schema
from tests.compile.processes import INSPECT, environment


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
        lines = list(csv.DictReader(stream))
    assert [line["setting"] for line in lines] == ["", "eager", "aot_eager"]
    assert lines[0]["failure"].endswith("no such weights. (zoo/broken.py:1)")


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
    shown = bench(tmp_path, "kept", "--format", "json")
    assert shown.returncode == 0, shown.stderr
    broken, found = json.loads(shown.stdout)["models"]
    assert found == report["models"][1]
    assert (broken["name"], broken["failure"]) == (
        report["models"][0]["name"], report["models"][0]["failure"],
    )  # fmt: skip
    assert bench(tmp_path, "kept", "--rounds", "3").returncode == 2
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
        assert done.returncode == 3, done.stderr  # none of them could be measured
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
    assert done.returncode == 3, done.stderr
    (model,) = json.loads(done.stdout)["models"]
    eager, other = model["rows"]
    assert eager["failure"] == (
        "it was ended after 12 seconds of loading the model, at hangs.py:7 in <module>; "
        "see --timeout"
    )
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
    files = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("beside/**/*"))
    assert sorted(collections.Counter(places).values()) == [6, 6, 6], files  # settings, rounds
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
