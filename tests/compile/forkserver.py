"""Records many targets quickly: torch is imported once, and each recording is made in a fork.

What runs in the fork is what the recorded process of `inspect explain` runs, from its command line
on. Run as a script this is the server; `ForkServer` is the client.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
_MOST_SECONDS = 30
_PIPE_BYTES = 1 << 16  # what a pipe takes before anybody reads


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """One recording.

    Attributes:
        folder: Where it goes; exists and is empty.
        request: The request as JSON.
        working_directory: Where the process runs.
    """

    folder: str
    request: str
    working_directory: str


class ForkServer:
    """A process that has imported torch and forks one child per job."""

    def __init__(self) -> None:
        self._caches = tempfile.TemporaryDirectory(prefix="inspector-caches-")
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": self._caches.name}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.compile.forkserver"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._caches.cleanup()

    def record(self, job: Job) -> int:
        """Records one job; returns the exit code of the recorded process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(dataclasses.asdict(job)) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def _serve(lines: Iterable[str]) -> None:
    from torch._dynamo.backends import registry

    from inspector.capture import child, explain_calls, target

    # What the first compilation of a process imports anyway.
    registry.list_backends(exclude_tags=())
    assert explain_calls
    assert target
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the targets print is not an answer
    before = set(sys.modules)
    for number, line in enumerate(lines):
        job = Job(**json.loads(line))
        reading, writing = os.pipe()
        os.set_blocking(reading, False)  # what it says is there when it has ended
        pid = os.fork()
        if pid == 0:
            signal.alarm(_MOST_SECONDS)  # a fork that hangs is a failure, not a long test
            os.chdir(job.working_directory)
            code = 70
            try:
                code = child.main([job.folder, "explain", job.request])
            finally:
                sys.stdout.flush()
                if number == 0:
                    os.write(writing, "\n".join(set(sys.modules) - before).encode()[:_PIPE_BYTES])
                os._exit(code)
        os.close(writing)
        _, status = os.waitpid(pid, 0)
        if number == 0:
            _import(_said(reading))
        os.close(reading)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


def _said(reading: int) -> Iterable[str]:
    with contextlib.suppress(BlockingIOError):
        return os.read(reading, _PIPE_BYTES).decode().split("\n")
    return ()


def _import(names: Iterable[str]) -> None:
    """What the first fork imported of torch and of ours, so that the others need not."""
    for name in names:
        if name.startswith(("torch.", "inspector.")):
            with contextlib.suppress(ImportError):  # the last name may be cut off
                importlib.import_module(name)


if __name__ == "__main__":
    _serve(sys.stdin)
