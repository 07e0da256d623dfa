"""A program's own calls are measured, and the program does not notice."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.compile.processes import ROOT, environment, finished, inspected, report, run_of

PROGRAM = """
import sys, time, torch
def model(x):
    x = torch.relu(x + 1)
    torch._dynamo.graph_break()
    return x * 2
compiled = torch.compile(model, backend="aot_eager")
def until(seconds, pause=0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        compiled(torch.ones(64))
        time.sleep(pause)
"""


def test_a_program_is_measured_when_it_is_warm(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM + "until(6)\nprint('done')\n")
    done = inspected("run", "--save", "recording", "train.py", folder=tmp_path)

    assert (done.stdout, done.returncode) == ("done\n", 0)
    # The profiler has things to say on standard error, which is the program's.
    assert [line[:8] for line in done.stderr.splitlines()] == ["inspect:"] * 3
    (finding,) = report(tmp_path / "recording")["findings"]
    assert finding["cost_kind"] == "measured"
    assert finding["executions_per_call"] == 1
    assert finding["crossing_bytes"] == 256


def test_a_program_that_ends_first_is_not_measured(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM + "until(0.01)\n")
    assert inspected("run", "--save", "recording", "train.py", folder=tmp_path).returncode == 0
    assert report(tmp_path / "recording")["findings"][0]["cost_kind"] == "unknown"


def test_the_program_s_own_profile_has_the_right_of_way(tmp_path: Path) -> None:
    profiles = """
from torch.profiler import ProfilerActivity, profile
until(0.3, pause=0.01)
for _ in range(3):
    with profile(activities=[ProfilerActivity.CPU], acc_events=True) as taken:
        until(0.7, pause=0.01)  # to end a profile takes the longer the more happened
    names = {event.key for event in taken.key_averages()}
    print("Torch-Compiled Region: 0/0" in names)
"""
    (tmp_path / "train.py").write_text(PROGRAM + profiles)
    done = inspected("run", "--save", "recording", "train.py", folder=tmp_path)

    assert (done.stdout, done.returncode) == ("True\n" * 3, 0)
    assert run_of(tmp_path / "recording").processes[0].problems == ()


def test_a_block_is_measured(tmp_path: Path) -> None:
    block = """
import inspector
with inspector.record("recording"):
    until(4)
"""
    (tmp_path / "train.py").write_text(PROGRAM + block)
    done = finished([sys.executable, "train.py"], tmp_path, env=environment(ROOT))

    assert done.returncode == 0, done.stderr
    (process,) = run_of(tmp_path / "recording").processes
    assert process.profiles
    assert process.problems == ()
