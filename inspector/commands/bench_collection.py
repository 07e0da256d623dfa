"""``inspect bench`` of several models, one after the other: a line for each."""

from __future__ import annotations

import dataclasses
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspector.benches.collection import Measured
from inspector.commands.bench_measure import INTERRUPTED, BenchProcess, measured, plan_of
from inspector.commands.target import is_model
from inspector.errors import InspectorError, RecordingError, UsageError
from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import (
    CollectionReport,
    make_collection_report,
    measured_of,
)
from inspector.findings.escaping import one_line

__all__ = ["collection_of", "is_collection", "kept_in", "models_of", "say_measured"]

_MODEL = "model.py"
_SESSIONS = 1  # of many models; several of one model say more of that one


def is_collection(targets: Sequence[str]) -> bool:
    """Whether that is more than one model: several, or a folder of models that is no recording."""
    return len(targets) > 1 or any(map(_is_folder, targets))


def _is_folder(target: str) -> bool:
    folder = Path(target)
    if not folder.is_dir() or (folder / "meta.json").exists() or any(folder.glob("*.log")):
        return False
    return bool(_in_folder(folder))


def models_of(targets: Sequence[str]) -> tuple[str, ...]:
    """The models, those of folders by name.

    Raises:
        UsageError: One is no model, and no folder of models.
    """
    found: list[str] = []
    for target in targets:
        if _is_folder(target):
            found += map(str, _in_folder(Path(target)))
        elif is_model(target):
            found.append(target)
        else:
            message = f"{target} is no model, and no folder with models in it."
            raise UsageError(message, "Name model.py files, or a folder of them.")
    return tuple(dict.fromkeys(found))


def _in_folder(folder: Path) -> list[Path]:
    """Files called model.py at any depth; where there is none, the folder's own Python files."""
    every = [path for path in folder.rglob(_MODEL) if not _is_hidden(path.relative_to(folder))]
    if not every:
        every = [path for path in folder.glob("*.py") if not path.name.startswith(("_", "test_"))]
    return sorted(every)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def collection_of(
    names: Sequence[str], given: dict[str, Any], how: BenchProcess
) -> tuple[CollectionReport, int]:
    """Measures all models; one that fails, hangs or crashes is a line.

    Args:
        names: The models, as the user would write them.
        given: The options of the command line that were given.
        how: How the processes are run; ``save`` is a folder for a recording of each.

    Returns:
        The report, and the exit code that belongs to it.

    Raises:
        UsageError: The options are not what they should be.
        RecordingError: The recordings cannot be written.
    """
    options = {"sessions": _SESSIONS, **given}
    plan_of("", options)  # what is wrong with them is said before anything is measured
    models: list[Measured] = []
    reports: list[BenchReport] = []
    code = 0
    with tempfile.TemporaryDirectory(prefix="inspector-benches-") as scratch:
        folder = kept_in(how.save, Path(scratch))
        for number, name in enumerate(names, 1):
            doing = f"{name} ({number} of {len(names)})"
            place = folder / f"{number:03d}-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}"
            one = dataclasses.replace(how, save=place, doing=doing)
            began = time.monotonic()
            try:
                report, code_of = measured(name, options, one)
            except InspectorError as error:
                models.append(Measured(name, (), None, str(error), time.monotonic() - began))
                say_measured(models[-1], how)
                continue
            reports.append(report)
            models.append(measured_of(name, report, time.monotonic() - began))
            say_measured(models[-1], how)
            if code_of == INTERRUPTED:
                code = INTERRUPTED
                break
    return make_collection_report(models, reports, int(options["sessions"])), code


def kept_in(save: Path | None, scratch: Path) -> Path:
    """The folder for the recordings of many models.

    Raises:
        RecordingError: It cannot be made.
    """
    if save is None:
        return scratch
    if save.suffix == ".zip":
        message = "Of several models no single .zip can be kept."
        raise RecordingError(message, "Name a folder with --save.")
    try:
        save.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{save} cannot be made ({error.strerror})."
        raise RecordingError(message, "Name another folder with --save.") from error
    return save


def say_measured(model: Measured, how: BenchProcess) -> None:
    """What is done stays on the screen while the others are measured."""
    if how.progress and sys.stderr.isatty():
        for line in _progress(model):
            sys.stderr.write(f"{line}\n")


def _progress(model: Measured) -> Iterator[str]:
    if not model.rows:
        yield one_line(f"{model.name}: {model.failure}")
    for row in model.compiled():
        ratio = f"{row.faster.middle:.2f} times as fast" if row.faster else row.failure
        yield one_line(f"{model.name}: {row.setting.label}: {ratio}")
