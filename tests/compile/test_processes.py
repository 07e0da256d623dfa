"""Every process of a program records itself: ranks, workers, whatever imports torch."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compile.processes import (
    AUTOLOAD,
    MODEL,
    ROOT,
    environment,
    finished,
    inspected,
    installed,
    report,
    run_of,
)

RANKS = (
    "import torch.distributed as dist\nfrom model import call\n"
    "dist.init_process_group('gloo')\ncall()\ndist.barrier()\ndist.destroy_process_group()\n"
)
POOLS = """
import multiprocessing, subprocess, sys
from torch.utils.data import DataLoader, Dataset
from model import call
class Compiling(Dataset):
    def __len__(self):
        return 1
    def __getitem__(self, index):
        call()
        return index
def work(n):
    call()
    return n
if __name__ == "__main__":
    for kind in ("fork", "spawn"):
        with multiprocessing.get_context(kind).Pool(1) as pool:
            print(pool.map(work, [1]))
        loader = DataLoader(Compiling(), num_workers=1, multiprocessing_context=kind)
        print(list(loader))
    subprocess.run([sys.executable, "-c", "import model; model.call()"], check=True)
"""


def written(folder: Path, **programs: str) -> Path:
    (folder / "model.py").write_text(MODEL)
    for name, source in programs.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def assert_one_break(found: dict[str, Any], processes: int) -> dict[str, Any]:
    """One site, met once in each process, is one finding."""
    assert found["warnings"] == []
    assert not any(item["problems"] for item in found["processes"])
    breaks = [finding for finding in found["findings"] if finding["rule"] == "graph-break"]
    assert len(breaks) == 1
    assert breaks[0]["file"] == "model.py"
    assert breaks[0]["processes"] == list(range(processes))
    assert breaks[0]["records"] == found["summary"]["graph_breaks"] == processes
    assert found["summary"]["distinct_graph_breaks"] == 1
    assert [item["summary"]["graph_breaks"] for item in found["processes"]] == [1] * processes
    return breaks[0]


def test_both_ranks_of_torchrun_are_one_report(tmp_path: Path) -> None:
    written(tmp_path, train=RANKS)
    done = inspected("run", "torchrun", "--nproc-per-node", "2", "train.py", folder=tmp_path)

    # Two processes write at once: with PYTHONUNBUFFERED, words and ends of lines one by one.
    written_by_both = done.stdout.replace("\n", "")
    assert (done.returncode, written_by_both) == (0, "inside" * 2), done.stderr
    assert "2 graph breaks at 1 site, 0 recompiles in 2 processes" in done.stderr
    found = report(tmp_path / ".inspector" / "1")
    assert found["recording"]["target"] == "torchrun train.py"
    assert [item["rank"] for item in found["processes"]] == [0, 1]
    assert all(item["ended"] for item in found["processes"])
    finding = assert_one_break(found, 2)
    assert finding["notes"][-1].startswith("in all 2 processes: rank 0, rank 1")
    shown = inspected("explain", ".inspector/1", "-v", folder=tmp_path).stdout
    assert "2 processes" in shown
    assert "2 ranks" in shown
    assert "\n  rank 1  2 frames, 1 graph, 1 graph break at 1 site" in shown


def test_workers_of_every_kind_are_recorded(tmp_path: Path) -> None:
    written(tmp_path, train=POOLS)
    done = inspected("run", "train.py", folder=tmp_path)

    expected = ["[1]", "[tensor([0])]"] * 2
    assert [line for line in done.stdout.splitlines() if line != "inside"] == expected, done.stderr
    found = report(tmp_path / ".inspector" / "1")
    assert_one_break(found, 5)
    assert len({item["pid"] for item in found["processes"]}) == 5


def test_the_installed_package_needs_nothing_but_the_variable(tmp_path: Path) -> None:
    written(tmp_path, plain="from model import call\ncall()\nimport os\nos._exit(3)\n")
    paths = (ROOT, installed(tmp_path / "site"))
    for names in ({}, {"INSPECTOR_RECORD": "recording"}):
        done = finished([sys.executable, "plain.py"], tmp_path, env=environment(*paths, **names))
        assert (done.stdout, done.stderr, done.returncode) == ("inside\n", "", 3)

    found = report(tmp_path / "recording")
    assert_one_break(found, 1)
    assert found["recording"]["settings"] == {"caches": "user"}
    assert "is still running or was killed" in found["recording"]["partial"]


def test_what_the_program_sees_of_us(tmp_path: Path) -> None:
    """One folder at the end of PYTHONPATH, two variables, and one distribution more."""
    see = (
        "import os, sys, json\nfrom importlib.metadata import distributions\n"
        "print(json.dumps([sys.argv, sys.orig_argv[1:], sys.path, sorted(os.environ), "
        "sorted({d.name for d in distributions()}), sorted(sys.modules)]))\n"
    )
    (tmp_path / "see.py").write_text(see)
    plain = json.loads(finished([sys.executable, "see.py", "-x"], tmp_path).stdout)
    ours = json.loads(inspected("run", "--no-measure", "see.py", "-x", folder=tmp_path).stdout)

    assert ours[:2] == plain[:2]
    position = ours[2].index(str(AUTOLOAD))
    assert plain[2][position - 1] == str(ROOT)
    assert [path for path in ours[2] if path != str(AUTOLOAD)] == plain[2]
    assert {*ours[3]} - {*plain[3]} == {"INSPECTOR_RECORD"}
    assert {*ours[4]} - {*plain[4]} == {"torch-inspector-recorder"}
    assert ours[5] == plain[5]


IMPORTS = "import torch\nprint('torch is here')\n"


@pytest.mark.parametrize("what", ["a file in the way", "a module of the user's", "a broken hook"])
def test_nothing_of_ours_breaks_the_import_of_torch(tmp_path: Path, what: str) -> None:
    (tmp_path / "plain.py").write_text(IMPORTS)
    variables = {"INSPECTOR_RECORD": "recording"}
    if what == "a file in the way":
        (tmp_path / "recording").touch()
    elif what == "a module of the user's":
        (tmp_path / "inspector.py").write_text("mine = 1\n")
        with (tmp_path / "plain.py").open("a") as program:
            program.write("import inspector\nassert inspector.mine == 1\n")
    else:
        variables["INSPECTOR_MAX_BYTES"] = "9" * 5000  # more digits than Python converts
    done = finished([sys.executable, "plain.py"], tmp_path, env=environment(AUTOLOAD, **variables))

    assert (done.stdout, done.stderr, done.returncode) == ("torch is here\n", "", 0)
    if what != "a file in the way":
        problems = [*(tmp_path / "recording").glob("problem.*.json")]
        assert re.search("could not be|could not start", problems[0].read_text())


MANY = """
import torch
def f(x, n):
    print("inside")
    return (x + n) * 2
for _ in range(12):
    torch._dynamo.reset()
    compiled = torch.compile(f, backend="eager")
    for n in range(3):
        compiled(torch.ones(2), n)
"""
COUNTS = (
    "frames", "graphs", "operators", "graph_breaks", "distinct_graph_breaks", "recompiles",
)  # fmt: skip


def test_a_full_log_takes_no_more_details_and_counts_everything(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text(MANY)
    inspected("run", "serve.py", folder=tmp_path)
    whole = report(tmp_path / ".inspector" / "1")
    assert whole["processes"][0]["dropped"] is None

    inspected("run", "--max-bytes", "400000", "serve.py", folder=tmp_path)
    recording = tmp_path / ".inspector" / "2"
    assert sum(path.stat().st_size for path in recording.glob("*.log")) <= 400_000
    found = report(recording)
    assert found["warnings"] == []
    assert not any(item["problems"] for item in found["processes"])
    assert found["processes"][0]["dropped"]["without_details"] > 0
    assert {name: found["summary"][name] for name in COUNTS} == {
        name: whole["summary"][name] for name in COUNTS
    }
    for item in (item for frame in found["frames"] for item in frame["compilations"]):
        assert item["start_time_ns"]
        assert item["stack"][-1]["file"] == "serve.py"


def test_a_fork_in_the_middle_leaves_both_logs_whole(tmp_path: Path) -> None:
    again = "    torch._dynamo.reset()\n    call()\n"
    source = f"import os\nfrom model import call\ncall()\nif os.fork() == 0:\n{again}"
    source += f"else:\n    os.wait()\n{again}"
    written(tmp_path, train="import torch\n" + source)
    inspected("run", "train.py", folder=tmp_path)

    run = run_of(tmp_path / ".inspector" / "1")
    assert not run.warnings
    assert [len(process.frames) > 0 for process in run.processes] == [True, True]
    files = {frame.file for process in run.processes for frame in process.frames}
    assert not [file for file in files if file.startswith("<file")]
    assert [process.ended for process in run.processes] == [True, True]
