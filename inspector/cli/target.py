"""What a command's TARGET is: a model that is recorded now, or something that is read."""

import ast
import contextlib
import dataclasses
import hashlib
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeGuard

from inspector.cli.progress import StatusLine
from inspector.cli.record import Recorded, record_request
from inspector.errors import ModelFailedError, RecordingError, UsageError
from inspector.report.escaping import one_line
from inspector.run.run import Run
from inspector.run.sources.child import Settings
from inspector.run.sources.recording import opened, read_run
from inspector.run.sources.store import is_store, newest_recording, recordings_limit
from inspector.shared.cores import usable_cores
from inspector.shared.near_matches import suggestion
from inspector.shared.request import Request

_REPORT = b'"tool_version"'  # at the beginning of our own
_BEGINNING_BYTES = 4_096


def is_model(target: str | None) -> TypeGuard[str]:
    """Whether a target is a model, which a command records itself, and no recording."""
    if target is None:
        return False
    path = Path(target)
    if _exists(path):
        return path.suffix == ".py"
    return ".py" in target or ":" in target


def recorded(request: Request, settings: Settings) -> Recorded:
    """Records a model."""
    asked = {"python": settings.python} if settings.python else {}
    if settings.checkout:
        asked["revision"] = settings.checkout.revision
    made = record_request(request, settings, **asked)
    place = "" if is_store(made.place.parent) else str(made.place)
    return dataclasses.replace(made, run=dataclasses.replace(made.run, place=place))


def check_target(target: str | None, python: str | None, given: Mapping[str, object]) -> None:
    """Refuses what can be refused before anything is recorded or read."""
    if not is_model(target):
        refuse_options(given)
    else:
        check_file(target, python)


def check_file(target: str, python: str | None) -> None:
    """Looks at ``model.py`` or ``model.py:name`` without running anything: torch takes seconds."""
    name, suffix, _ = target.partition(".py")
    path = Path(name + suffix)
    if not suffix or not path.suffix:
        return  # package.module:name
    try:
        is_there = path.exists() or Path(target).exists()
    except PermissionError as error:
        raise UsageError(
            f"{path} cannot be read (permission denied).", "Ask its owner for access or a copy."
        ) from error
    if not is_there:
        here = (item.name for item in path.parent.glob("*.py"))
        step = "Name a Python file, or a module (package.module:name)."
        hint = suggestion(path.name, here, step)
        raise UsageError(f"There is no file {path}.", hint)
    if python is not None:
        return  # whose syntax may be another
    try:
        with tokenize.open(path) as source:
            ast.parse(source.read(), str(path))
    except SyntaxError as error:
        message = f"{path}:{error.lineno}: {error.msg} ({type(error).__name__})."
        detail = (error.text or "").rstrip()
        raise ModelFailedError(message, "Fix the file and try again.", detail=detail) from error
    except (OSError, ValueError):
        return  # the recorded process says what it makes of it


def refuse_options(given: Mapping[str, object]) -> None:
    """Refuses options that are about recording, where a recording is read."""
    used = [name for name, value in given.items() if value is not None]
    if used:
        spelled = ("input" if name == "inputs" else name.replace("_", "-") for name in used)
        names = ", ".join(f"--{name}" for name in spelled)
        message = f"{names} {'does' if len(used) == 1 else 'do'} not apply to a recording."
        raise UsageError(message, "Name a model (model.py) to record it with these options.")


@contextlib.contextmanager
def reading(
    target: str | None, *, keep_spans: bool = False, explains_recompiles: bool = True
) -> Iterator[Run]:
    """Reads a recording or a trace, the newest recording where none is named."""
    with opened(existing(target)) as recording:
        with StatusLine(enabled=True) as line:
            run = read_run(
                recording,
                keep_spans=keep_spans,
                explains_recompiles=explains_recompiles,
                processes=usable_cores(),
                on_progress=lambda share: line.show(f"reading {recording.name}: {share:.0%}"),
            )
        print_place(run, target)
        yield dataclasses.replace(run, place=named(target))


def named(target: str | None) -> str:
    """What commands about a recording or trace name: nothing where they find it without."""
    if target is None:
        return ""
    with contextlib.suppress(RecordingError, OSError):
        if existing(target).samefile(newest_recording()):
            return ""
    return target


def existing(target: str | None) -> Path:
    """The recording or trace that is meant: by its path, or ``4`` of those that are kept.

    Without a name it is the newest recording.
    """
    if target is None:
        return newest_recording()
    if not target.strip():
        message = "TARGET is empty."
        raise UsageError(message, "Name a file or folder, or omit TARGET for the newest recording.")
    path, is_number = Path(target), target.isascii() and target.isdigit()
    if is_number and not path.exists():
        with contextlib.suppress(RecordingError):
            path = newest_recording().with_name(target)
    if not _exists(path):
        here = (item.name for item in Path().iterdir())
        hint = suggestion(path.name, here, "Name a model.py to record it.")
        if is_number or is_store(path.parent):
            hint = (
                f"Only the newest {recordings_limit()} (up to 1 GB) and named recordings are kept. "
                "Pass --save DIR to keep one."
            )
        raise UsageError(f"There is no model, recording or trace {target!r}.", hint)
    if path.suffix == ".json":
        with contextlib.suppress(OSError), path.open("rb") as stream:
            if _REPORT in stream.read(_BEGINNING_BYTES):
                message = f"{one_line(str(path))} is a report, not a recording."
                step = "Name the model or recording. To compare, use `inspect diff` or --baseline."
                raise UsageError(message, step)
    return path


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        return True  # nobody here can know; reading it says that it may not be read


def print_place(run: Run, target: str | None) -> None:
    """Says on standard error which recording was read, and what has changed since.

    ``recording 7 · model.py · 2026-11-29 02:10:05 · cpu · eager``
    """
    if target is None:
        settings = run.meta.settings
        started = run.meta.started.partition("+")[0].replace("T", " ")
        parts = [f"recording {run.meta.name}", run.meta.target, started]
        parts += [str(settings.get(name) or "") for name in ("device", "backend")]
        sys.stderr.write(" · ".join(one_line(part) for part in parts if part) + "\n")
    for file in changed_files(run):
        sys.stderr.write(f"{one_line(run.roots.shown(file))} changed after the recording\n")


def changed_files(run: Run) -> list[str]:
    """The project's files that are here and differ from what was recorded."""
    changed = []
    for file, digest in run.sources.digests.items():
        path = Path(file)
        if not run.roots.project or not path.is_relative_to(run.roots.project):
            continue
        with contextlib.suppress(OSError):  # it may not be read: somebody else recorded this
            if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                changed.append(file)
    return changed
