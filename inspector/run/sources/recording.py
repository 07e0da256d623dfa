"""Opens what a user names: a recording (folder or ``.zip``), a trace log, or a folder of logs."""

import contextlib
import dataclasses
import os
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from inspector.errors import RecordingError
from inspector.run.folding.run import run_of_parts
from inspector.run.run import LogWarning, Run
from inspector.run.sources.log_files import Found, failures_of_logs, find_logs, notes
from inspector.run.sources.meta import read_meta
from inspector.run.sources.parts import ReadOptions, read_parts
from inspector.run.sources.unpacking import gunzipped, unzipped
from inspector.shared.meta import META_FILE, Meta

_MOST_NAMED = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Recording:
    """A recording that can be read."""

    name: str
    folder: Path
    logs: tuple[Path, ...]
    meta: Meta
    warnings: tuple[LogWarning, ...] = ()
    names: Mapping[Path, str] = dataclasses.field(default_factory=dict)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Recording]:
    """Opens a recording or a trace for as long as the context lasts.

    Args:
        path: A recording's folder or ``.zip``, one log (also ``.gz``), or a folder of logs (also
            ``.log.gz``), which can lie in sub-folders that are neither hidden nor recordings
            themselves.

    Raises:
        RecordingError: There is no such file, it may not be read, or it is none of these.
    """
    _check_readable(path)
    with contextlib.ExitStack() as stack:
        if path.is_dir():
            yield _from_folder(path, path.name or str(path), stack)
        elif zipfile.is_zipfile(path):
            yield _from_folder(unzipped(path, _scratch(stack)), path.name, stack)
        elif path.suffix == ".zip":
            raise RecordingError(f"{path} is not a complete zip file.", "Copy the recording again.")
        elif path.suffix == ".gz":
            log = gunzipped(path, _scratch(stack))
            yield Recording(path.name, log.parent, (log,), Meta(format_version=0, name=path.name))
        else:
            yield Recording(path.name, path.parent, (path,), Meta(format_version=0, name=path.name))


def read_run(
    recording: Recording,
    *,
    keep_spans: bool = False,
    explains_recompiles: bool = True,
    processes: int = 1,
    on_progress: Callable[[float], None] = lambda _: None,
) -> Run:
    """Reads all logs of a recording.

    Args:
        explains_recompiles: Whether it is found out what each recompilation was for, which takes
            as long as all else.
        processes: How many processes may read.
        on_progress: Called now and then with the share that has been read.

    Raises:
        RecordingError: A plain trace holds no record at all: it is something else.
    """
    logs = [(log, recording.names.get(log, log.name)) for log in recording.logs]
    options = ReadOptions(keep_spans, explains_recompiles, processes, on_progress)
    parts = read_parts(logs, options)
    unread = [reason for part in parts for reason in part.unread]
    if not any(part.records for part in parts) and not recording.meta.format_version:
        if unread:
            message = f"None of the logs of {recording.name} can be read ({unread[0]})."
            raise RecordingError(message, "Ask its owner for a copy.")
        message = f"{recording.name} contains no structured-trace records."
        raise RecordingError(
            message, "Name a log written with TORCH_TRACE=DIR, or a torch-inspector recording."
        )
    run = run_of_parts(parts, recording.meta)
    failures = (
        LogWarning(path.name, 0, f"a log is incomplete: {reason}")
        for path, reason in failures_of_logs(recording.folder)
    )
    warnings = (*recording.warnings, *run.warnings, *failures, *notes(recording.folder))
    return dataclasses.replace(run, warnings=warnings)


def write_zip(folder: Path, target: Path) -> None:
    """Packs a recording's folder into a ``.zip``; half a file is never left behind."""
    part = target.with_name(target.name + ".part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(path for path in folder.iterdir() if path.is_file()):
                # A fixed time makes the same recording the same file.
                entry = zipfile.ZipInfo(path.name, (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _check_readable(path: Path) -> None:
    """Refuses what is not there, what may not be read, and what has no end."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
        is_closed = stat.S_ISDIR(mode) and not os.access(path, os.R_OK | os.X_OK)
    except PermissionError:
        is_closed = True
    except OSError as error:
        message = f"There is no recording or trace {path}."
        raise RecordingError(message, "Record one with: inspect explain model.py") from error
    if is_closed:
        raise RecordingError(
            f"{path} cannot be read (permission denied).", "Ask its owner for a copy."
        )
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        message = f"{path} is neither a file nor a folder."
        raise RecordingError(message, "Save its contents to a file and pass that file.")


def _scratch(stack: contextlib.ExitStack) -> Path:
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="inspector-")))


def _from_folder(folder: Path, name: str, stack: contextlib.ExitStack) -> Recording:
    found = find_logs(folder)
    if (folder / META_FILE).is_file():
        return _recording(folder, name, found, stack)
    if found.recordings and not any(log.parent == folder for log in found.logs):
        raise _several(folder, found.recordings)
    if not found.logs:
        hidden = [path.parent for path in folder.glob(".*/*/" + META_FILE)]
        if hidden:
            raise _several(folder, hidden)
        message = f"{folder} contains no recording and no trace (*.log, *.log.gz)."
        raise RecordingError(
            message, "Pass a model, a recording, or a folder written with TORCH_TRACE."
        )
    return _recording(folder, name, found, stack)


def _recording(folder: Path, name: str, found: Found, stack: contextlib.ExitStack) -> Recording:
    """The recording, with its logs unpacked."""
    meta = read_meta(folder, name)
    names: dict[Path, Path] = {}  # of what is read
    warnings = list(found.warnings)
    for path in found.logs:
        try:
            log = gunzipped(path, _scratch(stack)) if path.suffix == ".gz" else path
        except RecordingError as error:  # the others can be read all the same
            message = f"the log cannot be unpacked: {error.__cause__ or error}"
            warnings.append(LogWarning(path.name, 0, message))
            continue
        names[log] = path.relative_to(folder)
    called = {log: path.as_posix().removesuffix(".gz") for log, path in names.items()}
    return Recording(name, folder, tuple(names), meta, tuple(warnings), called)


def _several(folder: Path, recordings: Sequence[Path]) -> RecordingError:
    newest = sorted(recordings, key=lambda path: (path / META_FILE).stat().st_mtime, reverse=True)
    named = ", ".join(str(path) for path in newest[:_MOST_NAMED])
    more = len(newest) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    message = f"{folder} is not a recording but contains {named}{rest}."
    return RecordingError(message, f"Name one of them: {newest[0]}")
