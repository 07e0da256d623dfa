"""Processes that are told what to do, and take too long."""

import os
import sys
from pathlib import Path

import pytest

from inspector.run.sources.worker import Worker

LIMIT_SECONDS = 20.0
# In the place of the interpreter: it says that it is loaded, and nothing else.
PROGRAM = f"""#!{sys.executable} -S
import os, time
os.environ.pop("INSPECTOR_BENCH_IN")
os.write(int(os.environ["INSPECTOR_BENCH_OUT"]), b'{{"state": "loaded"}}\\n')
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("loaded", "timed out after 0.01 s during loading the model (see --timeout)"),
        ("ready", "timed out after 0.01 s during first calls (see --timeout)"),
        # Nobody has asked for that limit, and --timeout is another one.
        ("done", "timed out after 0 s in calls that should take far less time"),
    ],
)
def test_what_takes_too_long_says_what_it_was_doing(tmp_path: Path, state: str, said: str) -> None:
    program, folder = tmp_path / "program", tmp_path / "worker"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    folder.mkdir()
    worker = Worker(folder, str(program), "", os.environ)
    assert worker.wait("loaded", LIMIT_SECONDS, lambda: None)
    assert worker.wait(state, 0.01, lambda: None) is None
    assert worker.failure == said
