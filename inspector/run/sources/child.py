"""A program that is being recorded: starts it, reads its log while it grows, sees how it ends."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Self

from inspector.errors import EnvironmentLacksError
from inspector.run.folding.run import Progress, RunBuilder
from inspector.run.run import LogWarning
from inspector.run.sources.log import LogReader
from inspector.run.sources.log_files import failures_of_logs, notes
from inspector.run.sources.program import recorded_environment

_TICK_SECONDS = 0.1
_GRACE_SECONDS = 5.0
_OUTCOME_FILE = "outcome.json"
_INTERRUPTED_CODES = (-signal.SIGINT, 128 + signal.SIGINT)
_DEATHS = {
    "SIGKILL": "it was killed (SIGKILL, possibly by the out-of-memory killer)",
    "SIGSEGV": "it crashed (SIGSEGV)",
    "SIGABRT": "it aborted (SIGABRT)",
}
CTRL_C = "it was interrupted with Ctrl-C"
"""Why a recording is partial that was cut off by hand."""


@dataclasses.dataclass(frozen=True, slots=True)
class Checkout:
    """Files of a project as they are at a revision.

    Attributes:
        folder: The working directory there.
        imports: Folders there from which modules are imported first.
        revision: As a person names it.
    """

    folder: Path
    imports: tuple[str, ...]
    revision: str


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """How a process is recorded.

    Attributes:
        save: Where the recording is kept, or None for the store.
        own_stdout: Whether the program keeps standard output; else it is sent to standard error.
        fresh_caches: Whether Inductor's caches are a new folder that is deleted afterwards, so that
            every stage runs; else the program uses the caches it would use anyway.
        measure: Whether a program's calls are measured; a target's request says it itself.
        checkout: Where it runs, if that is not the working directory.
    """

    python: str | None
    timeout_seconds: float | None
    save: Path | None
    progress: bool
    own_stdout: bool
    fresh_caches: bool
    silent: bool = False
    doing: str = ""
    max_bytes: int | None = None
    measure: bool = False
    prefix: tuple[str, ...] = ()
    checkout: Checkout | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """What to record.

    Attributes:
        arguments: ``explain``, ``numerics`` or ``repro`` and the request, or ``run`` and a
            program's whole command line.
    """

    folder: Path
    arguments: tuple[str, ...]
    settings: Settings

    @property
    def is_target(self) -> bool:
        """Whether it is a target that we call; else it is a program with a life of its own."""
        return self.arguments[0] != "run"


@dataclasses.dataclass(frozen=True, slots=True)
class Ending:
    """How a recorded program ended.

    Attributes:
        exit_code: Its exit code; negative for a signal, as `subprocess` has it.
        ended: ``whole``, ``failed``, ``interrupted``, ``timed-out`` or ``killed``.
        outcome: What the program's side said about its end (``outcome.json``), or empty.
    """

    exit_code: int
    ended: str
    partial: str
    outcome: Mapping[str, object]
    elapsed_ns: int
    recorder_signal: int = 0
    is_target: bool = False

    @property
    def shell_exit_code(self) -> int:
        """The exit code as a shell reports it: 128 and the number for a signal."""
        if self.recorder_signal:
            return 128 + self.recorder_signal
        return 128 - self.exit_code if self.exit_code < 0 else self.exit_code


class Recorder:
    """Runs one job and folds its logs into a builder as they grow."""

    def __init__(self, job: Job, builder: RunBuilder) -> None:
        self._job = job
        self._builder = builder
        self._readers: dict[Path, LogReader] = {}

    def record(self, on_progress: Callable[[Progress, int], None]) -> Ending:
        """Runs the job to its end, whatever that is.

        Raises:
            EnvironmentLacksError: The interpreter cannot be started.
        """
        began_ns = time.monotonic_ns()
        with (
            tempfile.TemporaryDirectory(
                prefix="inspector-caches-", ignore_cleanup_errors=True
            ) as caches,
            _Signals() as signals,
        ):
            process = self._start(caches)
            try:
                ended, partial = self._watch(process, signals, began_ns, on_progress)
            finally:
                _end(process, signals)  # no orphan, whatever went wrong here
        self._read(ended=True)
        for note in notes(self._job.folder):
            self._builder.warn(note)
        outcome = self._outcome()
        if not ended:
            ended, partial = self._own_end(process.returncode, signals, outcome)
        return Ending(
            exit_code=process.returncode,
            ended=ended,
            partial=partial,
            outcome=outcome,
            elapsed_ns=time.monotonic_ns() - began_ns,
            recorder_signal=signals.ending,
            is_target=self._job.is_target,
        )

    def _start(self, caches: str) -> subprocess.Popen[bytes]:
        job, settings = self._job, self._job.settings
        if job.is_target:
            script = Path(__file__).parents[2] / "capture" / "__main__.py"
            interpreter = settings.python or sys.executable
            if os.sep in interpreter:
                interpreter = os.path.abspath(interpreter)  # noqa: PTH100 - a venv's is a link
            python = (*settings.prefix, interpreter)
            command = (*python, str(script), str(job.folder.absolute()), *job.arguments)
            # A recording that the caller asks all processes for is not that of this target.
            environment = {k: v for k, v in os.environ.items() if k != "INSPECTOR_RECORD"}
        else:  # it is run as it is, and its processes record themselves
            command = job.arguments[1:]
            environment = recorded_environment(
                job.folder, os.environ, settings.max_bytes, measure=settings.measure
            )
        if settings.fresh_caches:
            environment["TORCHINDUCTOR_CACHE_DIR"] = caches
        checkout = settings.checkout
        if checkout is not None:
            path = (*checkout.imports, environment.get("PYTHONPATH", ""))
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
        folder = checkout.folder if checkout else None
        stdout = None if settings.own_stdout else sys.stderr.fileno()
        stderr = None
        if settings.silent:
            stdout = stderr = subprocess.DEVNULL
        try:
            return subprocess.Popen(
                command, stdout=stdout, stderr=stderr, env=environment, cwd=folder
            )
        except OSError as error:
            message = f"{command[0]} cannot be started ({error.strerror})."
            raise EnvironmentLacksError(message, "Choose another one with --python.") from error

    def _watch(
        self,
        process: subprocess.Popen[bytes],
        signals: _Signals,
        began_ns: int,
        on_progress: Callable[[Progress, int], None],
    ) -> tuple[str, str]:
        """Waits for the end; says how and why if it was not the program's own."""
        while not _has_ended(process, _TICK_SECONDS):
            if self._job.settings.max_bytes is None:  # else what was read could be dropped later
                self._read(ended=False)
            elapsed_ns = time.monotonic_ns() - began_ns
            on_progress(self._builder.progress, elapsed_ns)
            ended, why = self._reason_to_end(signals, elapsed_ns)
            if ended:
                _end(process, signals)
                return ended, why
        return "", ""

    def _reason_to_end(self, signals: _Signals, elapsed_ns: int) -> tuple[str, str]:
        limit = self._job.settings.timeout_seconds
        if limit is not None and elapsed_ns > limit * 1e9:
            return "timed-out", f"it timed out after {limit:g} seconds (--timeout)"
        if signals.ending:
            return "killed", f"its recorder was killed by {signal_name(signals.ending)}"
        # The terminal sent Ctrl-C to the program too, which may have something to finish: a
        # program (a checkpoint, say) as long as it takes, a model a moment.
        patience = _GRACE_SECONDS if self._job.is_target else float("inf")
        if signals.interrupts > 1 or signals.seconds_since_interrupt > patience:
            return "interrupted", CTRL_C
        return "", ""

    def _own_end(
        self, code: int, signals: _Signals, outcome: Mapping[str, object]
    ) -> tuple[str, str]:
        """How and why a program ended that was not ended by us."""
        interrupted = code in _INTERRUPTED_CODES or (signals.interrupts and self._job.is_target)
        if interrupted and not outcome:
            return "interrupted", CTRL_C if signals.interrupts else "it was interrupted (SIGINT)"
        if code < 0:
            name = signal_name(-code)
            return "killed", _DEATHS.get(name, f"it was killed by {name}")
        failures = list(failures_of_logs(self._job.folder))
        for path, _ in failures:
            path.unlink(missing_ok=True)  # what it says goes into meta.json
        if failures:
            return "failed", f"the log could not be completed: {failures[-1][1]}"
        if self._job.is_target and not outcome:
            return "failed", f"it exited with code {code} without a message"
        has_failed = outcome.get("exit_code") or (code and not self._job.is_target)
        return ("failed" if has_failed else "whole"), ""

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
            self._builder.warn(LogWarning(path.name, 0, "the program died while writing this file"))
            return {}
        path.unlink()  # what it says goes into meta.json
        return dict(outcome)


class _Signals:
    """Counts the signals that ask the recorder to end, in place of ending it, in a context.

    What the user has ignored (``nohup``) stays ignored. The recorded program gets its own defaults:
    handlers do not outlive ``exec``.
    """

    def __init__(self) -> None:
        self.interrupts = 0
        self.ending = 0
        self._interrupted_at = float("inf")
        self._before: dict[int, Callable[[int, FrameType | None], object] | int] = {}

    @property
    def seconds_since_interrupt(self) -> float:
        """Time since the first Ctrl-C; negative while there was none."""
        return time.monotonic() - self._interrupted_at

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                number = getattr(signal, name, None)  # Windows has no SIGHUP
                before = signal.getsignal(number) if number else None
                if number and before not in (None, signal.SIG_IGN):
                    self._before[number] = before
                    signal.signal(number, self._take)
        return self

    def __exit__(self, *_error: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGINT:
            self.ending = self.ending or number
            return
        self.interrupts += 1
        self._interrupted_at = min(self._interrupted_at, time.monotonic())


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(process: subprocess.Popen[bytes], signals: _Signals) -> None:
    """Ends the program if it has not: kindly; after 5 s or one more Ctrl-C by force."""
    if process.poll() is not None:
        return
    process.terminate()
    interrupts = signals.interrupts
    for _ in range(round(_GRACE_SECONDS / _TICK_SECONDS)):
        if _has_ended(process, _TICK_SECONDS):
            return
        if signals.interrupts > interrupts:
            break
    process.kill()
    process.wait()


def signal_name(number: int) -> str:
    """``SIGTERM``; of a number without a name, that."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
