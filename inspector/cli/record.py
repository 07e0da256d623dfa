"""Records a target or a program, and completes the recording's description."""

from __future__ import annotations

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
_CUT_OFF = "its recorder did not come to an end"


@dataclasses.dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that has just been made.

    Attributes:
        place: Where the recording is: a folder or a ``.zip``.
    """

    run: Run
    place: Path
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
    """Records a process.

    Args:
        arguments: What the recorded process gets, see `inspector.run.sources.child.Job`.
        asked: The settings by name, for the recording's description.
    """
    with recording(settings.save, target, asked) as begun:
        builder = RunBuilder()
        ending = _ending(begun.path, arguments, target, settings, builder)
        run = builder.build(_ended(begun.meta, ending))
        _refuse_if_nothing_ran(run, ending)
    run, place = finish(begun, run, settings.save)
    return Recorded(run, place, ending)


def record_request(request: Request, settings: Settings, **asked: object) -> Recorded:
    """Records a target in a process of its own; what else was asked for is in its description."""
    arguments = ("explain", request.to_json())
    return record(arguments, request.target, {**request.asked, **asked}, settings)


@dataclasses.dataclass(frozen=True, slots=True)
class Begun:
    """A recording that is being made.

    Attributes:
        meta: What it says about itself until it is complete.
    """

    path: Path
    meta: Meta

    def ended(self, partial: str) -> Meta:
        """What it says about itself when nothing more comes: why it was cut off, if it was."""
        ended = "interrupted" if partial else "whole"
        return dataclasses.replace(self.meta, partial=partial, ended=ended)


@contextlib.contextmanager
def recording(save: Path | None, target: str, asked: Mapping[str, object]) -> Iterator[Begun]:
    """Makes the folder of a recording; if nothing comes of it, the folder goes again.

    Args:
        save: Where it is kept, or None for the store.
        asked: The settings by name, for its description.
    """
    is_zip = save is not None and save.suffix == ".zip"
    if save is not None and is_zip:
        _check_zip(save)
    is_ours = save is None or is_zip or not save.exists()
    place = Path(tempfile.mkdtemp(prefix="inspector-")) if is_zip else save
    path, meta = begin(place, save.name if save else "", target, asked, _CUT_OFF)
    try:
        yield Begun(path, meta)
    except InspectorError:
        _discard(path, is_ours=is_ours)
        raise


def finish(begun: Begun, run: Run, save: Path | None) -> tuple[Run, Path]:
    """Completes the description of a recording; the run with it, and where the recording is."""
    return _completed(begun.path, run), _kept(begun.path, save)


def _ending(
    folder: Path, arguments: tuple[str, ...], target: str, settings: Settings, builder: RunBuilder
) -> Ending:
    job = Job(folder, arguments, settings)

    def update(progress: Progress, elapsed_ns: int) -> None:
        if job.is_target:
            _import_for_reports()
        line.show(recording_text(progress, elapsed_ns, target, settings.doing))

    with StatusLine(enabled=settings.progress) as line:
        return Recorder(job, builder).record(update)


@functools.cache
def _import_for_reports() -> None:
    """Imports what the report will need while the program runs, on another processor as a rule."""
    with contextlib.suppress(InspectorError):  # of a plugin, which is told when it is needed
        plugins.load_rules("run")
        plugins.load_renderer("terminal")


def _completed(folder: Path, run: Run) -> Run:
    """Writes the description of a recording that has ended; says so in it where that fails.

    The program's exit code and what was recorded are worth more than an error here (a full disk).
    """
    try:
        write_meta(folder, run.meta, _facts(run))
    except OSError as error:
        reason = f"its description could not be completed: {error.strerror}"
        partial = f"{run.meta.partial}; {reason}" if run.meta.partial else reason
        return dataclasses.replace(run, meta=dataclasses.replace(run.meta, partial=partial))
    return run


def _check_zip(save: Path) -> None:
    if save.is_dir():
        raise RecordingError(f"{save} is a folder.", "Choose another name with --save.")
    if not save.absolute().parent.is_dir():
        raise RecordingError(f"There is no folder {save.parent}.", "Make it first.")


def _discard(folder: Path, *, is_ours: bool) -> None:
    """Deletes a recording that nobody needs: our own files, and the folder if we made it."""
    with contextlib.suppress(OSError):
        for pattern in (
            "*.log",
            f"{META_FILE}*",
            "outcome.json*",
            "log_failed.*",
            "problem.*.json",
        ):
            for path in folder.glob(pattern):
                path.unlink()
        if is_ours:
            folder.rmdir()


def _kept(folder: Path, save: Path | None) -> Path:
    if save is None or save.suffix != ".zip":
        return folder
    try:
        write_zip(folder, save)
    except OSError as error:
        message = f"{save} cannot be written ({error.strerror})."
        raise RecordingError(message, f"The recording is in {folder}.") from error
    shutil.rmtree(folder, ignore_errors=True)
    return save


def _ended(meta: Meta, ending: Ending) -> Meta:
    outcome = ending.outcome
    message = f"{outcome.get('message', '')} {outcome.get('next_step', '')}".strip()
    code = outcome.get("exit_code")
    return dataclasses.replace(
        meta,
        partial=ending.partial,
        error=message,
        error_detail=str(outcome.get("detail", "")),
        error_exit_code=code if isinstance(code, int) else 0,
        exit_code=None if ending.is_target else ending.shell_exit_code,
        ended=ending.ended,
    )


def _refuse_if_nothing_ran(run: Run, ending: Ending) -> None:
    """Raises what the program's side said, unless something was compiled that can be shown."""
    outcome = ending.outcome
    kind = BY_EXIT_CODE.get(run.meta.error_exit_code, UsageError)
    # What the environment lacks says nothing about the model, whatever was traced before.
    shown = any(process.frames for process in run.processes) and kind is not EnvironmentLacksError
    if not outcome.get("message") or shown:
        return
    raise kind(
        str(outcome.get("message", "")),
        str(outcome.get("next_step", "")),
        detail=str(outcome.get("detail", "")),
    )


def _facts(run: Run) -> dict[str, object]:
    first = next((process for process in run.processes if process.versions), None)
    return {
        "tool_version": __version__,
        "versions": dict(first.versions) if first else {},
        "hardware": dict(first.hardware) if first else {},
        "sources": {run.roots.shown(file): sha for file, sha in run.sources.digests.items()},
    }
