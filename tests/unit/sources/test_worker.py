"""Processes that are made to stand still, with all that they have started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.sources.worker import Worker

ROOT = Path(__file__).resolve().parents[3]
LIMIT_SECONDS = 20.0
# In the place of the interpreter: it and a process that it starts write that they are at work.
PROGRAM = f"""#!{sys.executable} -S
import os, sys, time
folder, asked = sys.argv[2], sys.argv[4]
child = os.fork()
place = os.path.join(folder, "child" if not child else "parent")
os.environ.pop("INSPECTOR_BENCH_IN")
out = int(os.environ["INSPECTOR_BENCH_OUT"])
if child:
    open(os.path.join(folder, "pids"), "w").write(f"{{os.getpid()}} {{child}}")
    os.write(out, b'{{"state": "loaded"}}\\n')
began = time.monotonic()
while True:
    with open(place, "a") as stream:
        stream.write(".")
    time.sleep(0.002)
    if child and asked == "soon" and time.monotonic() - began > 1:
        os.write(out, b'{{"state": "ready"}}\\n')
        asked = ""
"""
RECORDER = """
import os, signal, sys, time
from pathlib import Path
from inspector.sources.worker import Worker

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # with nohup it is ignored, and they go on
folder = Path(sys.argv[1])
worker = Worker(folder, sys.argv[2], "", os.environ, stands_still=True)
assert worker.wait("loaded", 20, lambda: None)
worker.stand_still()
time.sleep(0.5)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "program"
    file.write_text(PROGRAM)
    file.chmod(0o755)
    return str(file)


@pytest.fixture
def start(tmp_path: Path, program: str) -> Iterator[Callable[[str], Worker]]:
    folder = tmp_path / "worker"
    started: list[Worker] = []

    def begun(asked: str) -> Worker:
        folder.mkdir()
        started.append(Worker(folder, program, asked, os.environ, stands_still=True))
        assert started[-1].wait("loaded", LIMIT_SECONDS, lambda: None)
        return started[-1]

    yield begun
    pids = pids_of(folder)
    for worker in started:
        worker.failure = "no longer needed"  # ended at once
        worker.end()
    for pid in pids:
        if is_there(pid):
            os.kill(pid, signal.SIGKILL)


def pids_of(folder: Path) -> list[int]:
    return [int(pid) for pid in (folder / "pids").read_text().split()]


def is_there(pid: int) -> bool:
    """Whether it runs, or could: a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


def written(worker: Worker) -> list[int]:
    return [(worker.folder / name).stat().st_size for name in ("parent", "child")]


def eventually(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.01)
    return False


def is_at_work(worker: Worker) -> bool:
    before = written(worker)
    return eventually(
        lambda: all(now > then for now, then in zip(written(worker), before, strict=True))
    )


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("loaded", "it was ended after 0.01 seconds of loading the model; see --timeout"),
        ("ready", "it was ended after 0.01 seconds of first calls; see --timeout"),
        # Nobody has asked for that limit, and --timeout is another one.
        ("done", "it was ended after 0 seconds of calls that take far less as a rule"),
    ],
)
def test_what_takes_too_long_says_what_it_was_doing(
    start: Callable[[str], Worker], state: str, said: str
) -> None:
    worker = start("")
    assert worker.wait(state, 0.01, lambda: None) is None
    assert worker.is_late
    assert worker.failure == said


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_stands_still_with_what_it_has_started(start: Callable[[str], Worker]) -> None:
    worker = start("")
    files = [worker.folder / name for name in ("parent", "child")]
    assert eventually(lambda: all(file.exists() for file in files))
    assert is_at_work(worker)
    worker.stand_still()
    # A write that was under way comes to its end.
    assert eventually(lambda: all(is_stopped(pid) for pid in pids_of(worker.folder)))
    before = written(worker)
    time.sleep(0.1)
    assert written(worker) == before
    worker.go_on()
    stood_still_ns = int((worker.folder / "stood_still_ns").read_text())
    assert stood_still_ns >= 100_000_000
    assert is_at_work(worker)
    worker.go_on()  # which changes nothing
    assert int((worker.folder / "stood_still_ns").read_text()) == stood_still_ns


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_stands_still_does_not_take_too_long(start: Callable[[str], Worker]) -> None:
    worker = start("soon")
    worker.stand_still()
    ticks = iter(range(1_000))

    def on_tick() -> None:
        if next(ticks) == 12:  # some two and a half seconds, with five a second
            worker.go_on()

    assert worker.wait("ready", 2.2, on_tick) == {"state": "ready"}
    assert next(ticks) > 12


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_stands_still_for_ever_when_the_recorder_is_killed(
    tmp_path: Path, program: str
) -> None:
    folder = tmp_path / "worker"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", RECORDER, str(folder), program],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
        start_new_session=True,  # whoever takes its children is in another
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    pids = pids_of(folder)
    assert eventually(lambda: not any(map(is_there, pids)))
