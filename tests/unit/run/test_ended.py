"""What is said of the end of a program, from what its processes and its recorder know."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.run.ended import further_endings
from inspector.run.run import Run
from inspector.run.sources.meta import write_meta
from inspector.run.sources.recording import opened, read_run
from inspector.shared.meta import Meta
from tests.unit.logs import record

CHILD_FAILED = "ChildFailedError"
LOADER = """Caught ValueError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/venv/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", line 1, in loop
    fetch()
  File "/home/user/data.py", line 9, in __getitem__
    raise ValueError("no image")
ValueError: no image
"""


def raised(kind: str, message: str, time_ns: int = 1, **changes: Any) -> bytes:
    frames = [
        {"filename": "/home/user/train.py", "line": 7, "name": "<module>"},
        {"filename": "/venv/lib/python3.11/site-packages/torch/x.py", "line": 1, "name": "f"},
    ]
    fields = {"type": kind, "outer": kind, "message": message, "stack": frames}
    payload = {"v": 1, **fields, "time_ns": time_ns, **changes}
    return record("artifact", {"name": "inspector_raised"}, payload=json.dumps(payload))


def environment(parent: int, rank: int | None = None) -> bytes:
    payload = {"parent_pid": parent, "rank": rank, "roots": {"project": "/home/user"}}
    return record("artifact", {"name": "inspector_environment"}, payload=json.dumps(payload))


END = record("artifact", {"name": "inspector_end"}, payload="{}")


def run_of(folder: Path, code: int | None, *processes: bytes) -> Run:
    """A recording of a program whose processes have the numbers 100, 101, …."""
    for number, log in enumerate(processes, 100):
        (folder / f"{number}.log").write_bytes(log.replace(b" 7 torch", b" %d torch" % number))
    write_meta(folder, Meta(1, folder.name, "train.py", {"caches": "user"}, exit_code=code), {})
    with opened(folder) as recording:
        return read_run(recording)


@pytest.mark.parametrize(
    ("code", "log", "said"),
    [
        (3, environment(1) + END, "exit code 3 without an exception (sys.exit)."),
        (5, environment(1), "exit code 5 without running its exit handlers (os._exit)."),
        (0, environment(1) + raised("ValueError", "a test has failed") + END, ""),
        (None, environment(1) + END, ""),
    ],
)
def test_without_an_exception_the_exit_code_is_what_is_known(
    tmp_path: Path, code: int | None, log: bytes, said: str
) -> None:
    assert run_of(tmp_path, code, log).meta.error == said


def test_where_nothing_was_recorded_nothing_is_invented(tmp_path: Path) -> None:
    said = run_of(tmp_path, 1).meta.error
    assert said == "exit code 1 for an unknown reason (none of its processes was recorded)."


def test_the_rank_that_failed_is_named_and_not_its_launcher(tmp_path: Path) -> None:
    failed = raised(CHILD_FAILED, "rank 1 (pid 102) exited with code 1", 9)
    launcher = environment(1) + failed + END
    fine, broken = (environment(100, rank) for rank in (0, 1))
    run = run_of(tmp_path, 1, launcher, fine, broken + raised("ValueError", "empty", 5) + END)
    assert run.meta.error == "rank 1: ValueError: empty (train.py:7, exit code 1)."
    assert not list(further_endings(run))


def test_of_a_rank_that_said_nothing_the_launcher_knows(tmp_path: Path) -> None:
    killed = raised(CHILD_FAILED, "rank 1 (pid 102) was killed by SIGKILL", 9)
    run = run_of(tmp_path, 1, environment(1) + killed + END, environment(100, 0))
    assert "rank 1 (pid 102) was killed by SIGKILL" in run.meta.error


def test_threads_and_other_processes_are_told_too(tmp_path: Path) -> None:
    thread = raised("KeyError", "'x'", thread="loader")
    worker = environment(100) + raised("ValueError", "tolerated") + END
    run = run_of(tmp_path, 0, environment(1) + thread + END, worker)
    assert not run.meta.error
    assert list(further_endings(run)) == [
        "thread 'loader' in pid 100 failed with KeyError: 'x' (train.py:7).",
        "pid 101 failed with ValueError: tolerated (train.py:7).",
    ]


def test_an_error_that_is_handed_on_is_read(tmp_path: Path) -> None:
    run = run_of(tmp_path, 1, environment(1) + raised("ValueError", LOADER) + END)
    assert run.meta.error == "ValueError: no image (data.py:9, exit code 1)."
