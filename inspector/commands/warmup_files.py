"""Writes the folder of `inspect bench --warmup`: warmup.py, cache.bin and plan.json."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import orjson

from inspector.commands.output import write_file
from inspector.errors import RecordingError
from inspector.findings.warmup_report import WarmupReport
from inspector.renderers.json.cleaned import cleaned
from inspector.renderers.json.warmup import plan_fields
from inspector.renderers.warmup_script import render
from inspector.sources.warmup_file import ARTIFACT

_FILES = frozenset({"warmup.py", ARTIFACT, "plan.json", "__pycache__"})


def check_folder(folder: Path) -> None:
    """Refuses a folder that cannot be made, or that has other things in it.

    Raises:
        RecordingError: It is not empty, or cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = sorted({path.name for path in folder.iterdir()} - _FILES)
    except OSError as error:
        message = f"{folder} cannot be made ({error.strerror})."
        raise RecordingError(message, "Name another folder with --save-warmup.") from error
    if others:
        message = f"{folder} has other things in it: {others[0]}."
        raise RecordingError(message, "Name an empty folder with --save-warmup.")


def write_script(report: WarmupReport, artifact: Path, folder: Path) -> None:
    """Writes ``warmup.py``, and ``cache.bin`` where there is one.

    Raises:
        RecordingError: One cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    write_file(folder / "warmup.py", lambda stream: render(report, place, stream))
    (folder / ARTIFACT).unlink(missing_ok=True)  # of an earlier run
    if artifact.exists():
        try:
            shutil.copyfile(artifact, folder / ARTIFACT)
        except OSError as error:
            message = f"{folder / ARTIFACT} cannot be written ({error.strerror})."
            raise RecordingError(message, "Name another folder with --save-warmup.") from error


def write_plan_file(report: WarmupReport, folder: Path) -> None:
    """Writes ``plan.json``, and says what was written.

    Raises:
        RecordingError: It cannot be written.
    """
    fields = cleaned({"format_version": 1, **plan_fields(report)})
    text = orjson.dumps(fields, option=orjson.OPT_INDENT_2).decode()
    write_file(folder / "plan.json", lambda stream: print(text, file=stream))
    names = [name for name in ("warmup.py", ARTIFACT, "plan.json") if (folder / name).exists()]
    sys.stderr.write(f"wrote {', '.join(names)} to {folder}\n")
