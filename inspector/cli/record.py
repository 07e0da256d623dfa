"""Records a target or a program, and completes the recording's description."""

import contextlib
import dataclasses
import functools
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from inspector import plugins
from inspector.cli.progress import StatusLine, recording_text
from inspector.errors import (
    BY_EXIT_CODE,
    EnvironmentLacksError,
    InspectorError,
    RecordingError,
    UsageError,
)
from inspector.run.folding.run import Progress, RunBuilder
from inspector.run.run import Run
from inspector.run.sources.child import Ending, Job, Recorder, Settings
from inspector.run.sources.meta import begin, write_meta
from inspector.run.sources.recording import write_zip
from inspector.shared.meta import META_FILE, Meta
from inspector.shared.request import Request
from inspector.version import __version__

_EXIT_FAILED = 3
_EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
_CUT_OFF = "its recorder did not finish"
_OUR_FILES = ("*.log", f"{META_FILE}*", "outcome.json*", "log_failed.*", "problem.*.json")


@dataclasses.dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that has just been made."""

    run: Run
    place: Path  # a folder or a .zip
    ending: Ending

    @property
    def exit_code(self) -> int:
        """The exit code of a command that reports on it, before any findings."""
        meta = self.run.meta
        if self.ending.recorder_signal:
            return self.ending.shell_exit_code
        if meta.ended == "interrupted":
            return _EXIT_INTERRUPTED
        return meta.error_exit_code or (_EXIT_FAILED if meta.partial else 0)


def record(
    arguments: tuple[str, ...], target: str, asked: Mapping[str, object], settings: Settings
) -> Recorded:
    """Records a process; what its side refused before anything was compiled is raised.

    Args:
        arguments: See `inspector.run.sources.child.Job`.
    """
    with recording(settings.save, target, asked) as begun:
        builder = RunBuilder()
        job = Job(begun.path, arguments, settings)

        def update(progress: Progress, elapsed_ns: int) -> None:
            if job.is_target:
                _import_for_reports()
            line.show(recording_text(progress, elapsed_ns, target, settings.doing))

        with StatusLine(enabled=settings.progress) as line:
            ending = Recorder(job, builder).record(update)
        meta = _ended(begun.meta, ending)
        run = builder.build(meta)
        _refuse_if_nothing_ran(run, meta)
    run, place = finish(begun, run, settings.save)
    return Recorded(run, place, ending)


def record_request(request: Request, settings: Settings, **asked: object) -> Recorded:
    """Records a target in a process of its own; what else was asked for is in its description."""
    arguments = ("explain", request.to_json())
    return record(arguments, request.target, {**request.asked, **asked}, settings)


@dataclasses.dataclass(frozen=True, slots=True)
class Begun:
    """A recording that is being made."""

    path: Path
    meta: Meta

    def ended(self, partial: str) -> Meta:
        """What it says about itself when nothing more comes: why it was cut off, if it was."""
        ended = "interrupted" if partial else "whole"
        return dataclasses.replace(self.meta, partial=partial, ended=ended)


@contextlib.contextmanager
def recording(save: Path | None, target: str, asked: Mapping[str, object]) -> Iterator[Begun]:
    """Makes a folder, in the store if none is named; without a recording it goes again."""
    place = save
    if save is not None and save.suffix == ".zip":
        if save.is_dir():
            raise RecordingError(f"{save} is a folder.", "Choose another name with --save.")
        if not save.absolute().parent.is_dir():
            raise RecordingError(f"There is no folder {save.parent}.", "Create it first.")
        place = Path(tempfile.mkdtemp(prefix="inspector-"))
    is_ours = save is None or place is not save or not save.exists()
    path, meta = begin(place, save.name if save else "", target, asked, _CUT_OFF)
    try:
        yield Begun(path, meta)
    except InspectorError:
        with contextlib.suppress(OSError):
            for pattern in _OUR_FILES:
                for file in path.glob(pattern):
                    file.unlink()
            if is_ours:
                path.rmdir()
        raise


def finish(begun: Begun, run: Run, save: Path | None) -> tuple[Run, Path]:
    """Completes the description of a recording; the run with it, and where the recording is.

    What was recorded is worth more than an error here (a full disk): the description then says so.
    """
    first = next((process for process in run.processes if process.versions), None)
    facts = {
        "tool_version": __version__,
        "versions": dict(first.versions) if first else {},
        "hardware": dict(first.hardware) if first else {},
        "sources": {run.roots.shown(file): sha for file, sha in run.sources.digests.items()},
    }
    try:
        write_meta(begun.path, run.meta, facts)
    except OSError as error:
        reason = f"its metadata could not be completed: {error.strerror}"
        partial = f"{run.meta.partial}; {reason}" if run.meta.partial else reason
        run = dataclasses.replace(run, meta=dataclasses.replace(run.meta, partial=partial))
    if save is None or save.suffix != ".zip":
        return run, begun.path
    try:
        write_zip(begun.path, save)
    except OSError as error:
        message = f"{save} cannot be written ({error.strerror})."
        raise RecordingError(message, f"Use the recording in {begun.path}.") from error
    shutil.rmtree(begun.path, ignore_errors=True)
    return run, save


@functools.cache
def _import_for_reports() -> None:
    """Imports what the report will need while the program runs, on another processor as a rule."""
    with contextlib.suppress(InspectorError):  # of a plugin, which is told when it is needed
        plugins.load_rules("run")
        plugins.load_renderer("terminal")


def _ended(meta: Meta, ending: Ending) -> Meta:
    outcome = ending.outcome
    code = outcome.get("exit_code")
    return dataclasses.replace(
        meta,
        partial=ending.partial,
        error=f"{outcome.get('message', '')} {outcome.get('next_step', '')}".strip(),
        error_detail=str(outcome.get("detail", "")),
        error_exit_code=code if isinstance(code, int) else 0,
        exit_code=None if ending.is_target else ending.shell_exit_code,
        ended=ending.ended,
    )


def _refuse_if_nothing_ran(run: Run, meta: Meta) -> None:
    """Raises what the program's side said, unless something was compiled that can be shown."""
    kind = BY_EXIT_CODE.get(meta.error_exit_code, UsageError)
    # What the environment lacks says nothing about the model, whatever was traced before.
    shown = any(process.frames for process in run.processes) and kind is not EnvironmentLacksError
    if meta.error and not shown:
        raise kind(meta.error, detail=meta.error_detail)
