"""A program's own calls are measured, and the program does not notice."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path
from typing import Any

import pytest

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


def test_nothing_is_profiled_while_torch_tunes(tmp_path: Path) -> None:
    tunes = """
from torch._dynamo.utils import dynamo_timed
from torch.autograd import profiler
def tune(seconds):  # as CachingAutotuner does, between two calls
    seen = set()
    with dynamo_timed("CachingAutotuner.benchmark_all_configs", log_pt2_compile_event=True):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            seen.add(profiler._is_profiler_enabled)
            time.sleep(0.001)
    return seen
until(0.2)
print(tune(1.5))
for _ in range(60):  # one of them comes in the middle of a profile
    until(0.05)
    assert tune(0.01) == {False}
until(6)
"""
    (tmp_path / "train.py").write_text(PROGRAM + tunes)
    done = inspected("run", "--save", "recording", "train.py", folder=tmp_path)

    assert (done.stdout, done.returncode) == ("{False}\n", 0), done.stderr
    assert report(tmp_path / "recording")["findings"][0]["cost_kind"] == "measured"


def test_a_block_is_measured(tmp_path: Path) -> None:
    block = """
import inspector
with inspector.record("recording"):
    until(6)
"""
    (tmp_path / "train.py").write_text(PROGRAM + block)
    done = finished([sys.executable, "train.py"], tmp_path, env=environment(ROOT))

    assert done.returncode == 0, done.stderr
    (process,) = run_of(tmp_path / "recording").processes
    assert process.profiles
    assert process.problems == ()


def plain_and_recorded(source: str, folder: Path) -> tuple[Any, Any]:
    """A program run as it is, and recorded while its calls are measured."""
    (folder / "program.py").write_text(PROGRAM + source)
    plain = finished([sys.executable, "program.py"], folder)
    return plain, inspected("run", "--save", "recording", "program.py", folder=folder)


@pytest.mark.skipif(
    importlib.metadata.version("torch").startswith("2.12."),
    reason="torch 2.12 swallows what a signal raises within `increment_version`",
)
def test_signals_arrive_as_ever(tmp_path: Path) -> None:
    """A signal's handler may raise wherever the program is, also while a profile begins or ends."""
    source = """
import os, signal, threading
class Alarm(Exception):
    pass
def ring(*_):
    global is_armed
    if is_armed:
        is_armed = False
        raise Alarm
rung, is_armed = 0, False
until(0.1)  # a compilation that a signal breaks off is another matter
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
end = time.monotonic() + 5
while time.monotonic() < end:
    try:
        is_armed = True
        until(0.5)
        is_armed = False
    except Alarm:
        rung += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print("rung", rung > 20)
"""
    plain, recorded = plain_and_recorded(source, tmp_path)
    assert plain.stdout == recorded.stdout == "rung True\n"
    assert recorded.returncode == 0, recorded.stderr


def test_forks_in_the_middle_are_not_profiled(tmp_path: Path) -> None:
    source = """
import os
from torch.autograd import profiler
profiled = 0
end = time.monotonic() + 5
while time.monotonic() < end:
    until(0.02)
    pid = os.fork()
    if not pid:
        os._exit(int(profiler._is_profiler_enabled))
    profiled += os.waitpid(pid, 0)[1] != 0
print("profiled", profiled)
"""
    plain, recorded = plain_and_recorded(source, tmp_path)
    assert plain.stdout == recorded.stdout == "profiled 0\n"
