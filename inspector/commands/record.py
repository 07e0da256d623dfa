"""Records a target or a program, and completes the recording's description."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from inspector import __version__
from inspector.builder.run import RunBuilder
from inspector.commands.progress import ProgressLine
from inspector.errors import (
    EnvironmentLacksError,
    InspectorError,
    ModelFailedError,
    RecordingError,
    UsageError,
)
from inspector.model.run import Meta, Run
from inspector.sources.child import Ending, Job, Recorder
from inspector.sources.meta import FORMAT_VERSION, write_meta
from inspector.sources.recording import write_zip
from inspector.sources.store import new_recording, prune

__all__ = ["Recorded", "Settings", "record"]

_CUT_OFF = "its recorder did not come to an end"
_ERRORS: dict[int, type[InspectorError]] = {
    2: UsageError,
    3: ModelFailedError,
    4: EnvironmentLacksError,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """How a process is recorded.

    Attributes:
        python: The interpreter, or None for this one.
        timeout_seconds: After which it is ended, or None.
        save: Where the recording is kept, or None for the store.
        progress: Whether progress is shown.
        own_stdout: Whether the program keeps standard output; else it is sent to standard error.
        fresh_caches: Whether Inductor's caches are new.
    """

    python: str | None
    timeout_seconds: float | None
    save: Path | None
    progress: bool
    own_stdout: bool
    fresh_caches: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that has just been made.

    Attributes:
        run: What was recorded.
        place: Where the recording is: a folder or a ``.zip``.
        ending: How the program ended.
    """

    run: Run
    place: Path
    ending: Ending


def record(
    arguments: tuple[str, ...], target: str, asked: Mapping[str, object], settings: Settings
) -> Recorded:
    """Records a process.

    Args:
        arguments: What the recorded process gets, see `inspector.sources.child.Job`.
        target: What is recorded, as the user wrote it.
        asked: The settings by name, for the recording's description.
        settings: How it is recorded.

    Raises:
        InspectorError: The program's side refused the target before anything was compiled, or the
            recording cannot be written.
    """
    folder = _folder(settings.save)
    meta = Meta(FORMAT_VERSION, folder.name, target, dict(asked), _now(), partial=_CUT_OFF)
    write_meta(folder, meta, {"tool_version": __version__})
    builder = RunBuilder()
    job = Job(
        folder=folder,
        python=settings.python or sys.executable,
        arguments=arguments,
        stdout=None if settings.own_stdout else sys.stderr.fileno(),
        timeout_seconds=settings.timeout_seconds,
        fresh_caches=settings.fresh_caches,
    )
    line = ProgressLine(enabled=settings.progress, what=target)
    try:
        ending = Recorder(job, builder).record(line.update)
    finally:
        line.close()
    run = builder.build(_ended(meta, ending))
    _refuse_if_nothing_ran(run, ending, folder)
    write_meta(folder, run.meta, _facts(run))
    return Recorded(run, _kept(folder, settings.save), ending)


def _folder(save: Path | None) -> Path:
    try:
        if save is None:
            folder = new_recording()
            prune(folder)
            return folder.resolve() if not os.access(folder.parent, os.W_OK) else folder
        if save.suffix == ".zip":
            return Path(tempfile.mkdtemp(prefix="inspector-"))
        save.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"No recording can be written to {save or '.inspector'} ({error.strerror})."
        raise RecordingError(message, "Choose a place with --save DIR.") from error
    if any(save.iterdir()):
        raise RecordingError(f"{save} is not empty.", "Choose another folder with --save.")
    return save


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
    )


def _refuse_if_nothing_ran(run: Run, ending: Ending, folder: Path) -> None:
    """Raises what the program's side said, unless something was compiled that can be shown."""
    outcome = ending.outcome
    if not outcome or any(process.frames for process in run.processes):
        return
    shutil.rmtree(folder, ignore_errors=True)
    kind = _ERRORS.get(run.meta.error_exit_code, UsageError)
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


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
