"""A program that is being recorded: starts it, reads its log while it grows, sees how it ends."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import inspector
from inspector.builder.run import Progress, RunBuilder
from inspector.errors import EnvironmentLacksError
from inspector.model.run import LogWarning
from inspector.sources.log import LogReader

__all__ = ["Ending", "Job", "Recorder"]

_TICK_SECONDS = 0.1
_GRACE_SECONDS = 5.0
_OUTCOME_FILE = "outcome.json"


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """What to record.

    Attributes:
        folder: The recording's folder; it exists and is empty.
        python: The interpreter.
        arguments: ``explain`` and the request, or ``run`` and the program with its arguments.
        stdout: File descriptor that the program's standard output goes to, or None for our own.
        timeout_seconds: After which the program is ended, or None.
        fresh_caches: Whether Inductor's caches are a new folder that is deleted afterwards, so that
            every stage runs; else the program uses the caches it would use anyway.
    """

    folder: Path
    python: str
    arguments: tuple[str, ...]
    stdout: int | None
    timeout_seconds: float | None
    fresh_caches: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Ending:
    """How a recorded program ended.

    Attributes:
        exit_code: Its exit code; negative for a signal, as `subprocess` has it.
        partial: Why the recording is not complete, in one sentence, or an empty string.
        outcome: What the program's side said about an error (``outcome.json``), or empty.
        elapsed_ns: Wall time of the whole process.
    """

    exit_code: int
    partial: str
    outcome: Mapping[str, object]
    elapsed_ns: int

    @property
    def shell_exit_code(self) -> int:
        """The exit code as a shell reports it: 128 and the number for a signal."""
        return 128 - self.exit_code if self.exit_code < 0 else self.exit_code


class Recorder:
    """Runs one job and folds its logs into a builder as they grow."""

    def __init__(self, job: Job, builder: RunBuilder) -> None:
        self._job = job
        self._builder = builder
        self._readers: dict[Path, LogReader] = {}

    def record(self, on_progress: Callable[[Progress, int], None]) -> Ending:
        """Runs the job to its end, whatever that is.

        Args:
            on_progress: Called about ten times a second with what was seen and the elapsed ns.

        Raises:
            EnvironmentLacksError: The interpreter cannot be started.
        """
        began_ns = time.monotonic_ns()
        with tempfile.TemporaryDirectory(
            prefix="inspector-caches-", ignore_cleanup_errors=True
        ) as caches:
            process = self._start(caches)
            partial = self._watch(process, began_ns, on_progress)
        self._read(ended=True)
        code = process.returncode
        return Ending(
            exit_code=code,
            partial=partial or _how_it_died(code),
            outcome=self._outcome(),
            elapsed_ns=time.monotonic_ns() - began_ns,
        )

    def _start(self, caches: str) -> subprocess.Popen[bytes]:
        script = Path(inspector.__file__).parent / "capture" / "__main__.py"
        command = [self._job.python, str(script), str(self._job.folder), *self._job.arguments]
        environment = dict(os.environ)
        if self._job.fresh_caches:
            environment["TORCHINDUCTOR_CACHE_DIR"] = caches
        try:
            return subprocess.Popen(command, stdout=self._job.stdout, env=environment)
        except OSError as error:
            message = f"The interpreter {self._job.python} cannot be started ({error.strerror})."
            raise EnvironmentLacksError(message, "Name another one with --python.") from error

    def _watch(
        self,
        process: subprocess.Popen[bytes],
        began_ns: int,
        on_progress: Callable[[Progress, int], None],
    ) -> str:
        """Waits for the end; says why if it was not the program's own."""
        try:
            while not _has_ended(process):
                self._read(ended=False)
                elapsed_ns = time.monotonic_ns() - began_ns
                on_progress(self._builder.progress, elapsed_ns)
                limit = self._job.timeout_seconds
                if limit is not None and elapsed_ns > limit * 1e9:
                    _end(process)
                    return f"it was ended after --timeout {limit:g} seconds"
        except KeyboardInterrupt:
            # The terminal sent the signal to the program too; it may have something to finish.
            _let_end(process)
            return "it was interrupted with Ctrl-C"
        return ""

    def _read(self, *, ended: bool) -> None:
        for path in sorted(self._job.folder.glob("*.log")):
            reader = self._readers.setdefault(path, LogReader(path))
            for envelope in reader.read(ended=ended):
                self._builder.fold(path.name, envelope)
            for warning in reader.take_warnings():
                self._builder.warn(warning)

    def _outcome(self) -> Mapping[str, object]:
        path = self._job.folder / _OUTCOME_FILE
        if not path.is_file():
            return {}
        try:
            outcome = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            self._builder.warn(LogWarning(path.name, 0, "the program died while it wrote this"))
            return {}
        path.unlink()  # what it says goes into meta.json
        return dict(outcome)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_TICK_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _let_end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_GRACE_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_GRACE_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()


def _how_it_died(code: int) -> str:
    if code >= 0:
        return ""
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    reasons = {
        "SIGKILL": "it was killed (SIGKILL: by the out-of-memory killer, perhaps)",
        "SIGSEGV": "it crashed (SIGSEGV)",
        "SIGABRT": "it aborted (SIGABRT)",
    }
    return reasons.get(name, f"it was ended by {name}")
