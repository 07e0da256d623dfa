"""``inspect bench`` of several models, one after the other: a line for each."""

import contextlib
import dataclasses
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from inspector.cli.bench_measure import INTERRUPTED, BenchProcess, asked_of, bench_report, measured
from inspector.cli.bench_plan import plan_of
from inspector.cli.target import changed_files, is_model
from inspector.errors import (
    TRACEBACK_BELOW,
    InspectorError,
    ModelFailedError,
    RecordingError,
    UsageError,
)
from inspector.features.bench.collection_report import (
    CollectionReport,
    Measured,
    make_collection_report,
    measured_of,
)
from inspector.features.bench.rows import INTERRUPTED as INTERRUPTED_MODEL
from inspector.report.escaping import one_line
from inspector.run.sources.meta import read_meta
from inspector.run.sources.recording import opened, read_run
from inspector.shared.bench import BenchPlan
from inspector.shared.meta import META_FILE, Meta

_NOT_SAVED = "pass --save DIR to keep the recordings and resume an interrupted run"
_SESSIONS = 1  # of many models; several of one model say more of that one
_LIMIT_SECONDS = 900.0  # one that hangs holds the others up
_MODEL = "model.py"
_INSTALLED = frozenset({"site-packages", "dist-packages", "node_modules"})
_ENVIRONMENT = "pyvenv.cfg"
_NUMBER = re.compile(r"(\d+)-")
# As Python spells a place in a traceback.
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')


class _Saved(NamedTuple):
    """A recording in the folder of a collection, with its number."""

    number: int
    place: Path
    meta: Meta


def is_collection(targets: Sequence[str]) -> bool:
    """Whether that is more than one model: several, or a folder of models that is no recording."""
    return len(targets) > 1 or any(map(_is_folder, targets))


def _is_folder(target: str) -> bool:
    folder = Path(target)
    return folder.is_dir() and not (folder / META_FILE).exists() and bool(_models_in(folder))


def _models_in(folder: Path) -> list[Path]:
    """Files called model.py at any depth; where there is none, the folder's own Python files.

    Hidden folders, virtual environments and what begins with ``_`` or ``test_`` are left out.
    """
    named = []
    for place, folders, files in os.walk(folder):
        if _ENVIRONMENT in files and Path(place) != folder:
            folders.clear()
        elif _MODEL in files:
            named.append(Path(place, _MODEL))
        folders[:] = [
            name for name in folders if not name.startswith((".", "_")) and name not in _INSTALLED
        ]
    own = (path for path in folder.glob("*.py") if not path.name.startswith(("_", "test_")))
    return sorted(named or own)


def models_of(targets: Sequence[str]) -> tuple[str, ...]:
    """The models, those of folders by name."""
    found: list[str] = []
    for target in targets:
        if _is_folder(target):
            found += map(str, _models_in(Path(target)))
        elif is_model(target):
            found.append(target)
        else:
            message = f"{target} is neither a model nor a folder of models."
            raise UsageError(message, "Name model.py files, or a folder of them.")
    return tuple(dict.fromkeys(found))


def collection_of(
    targets: Sequence[str], given: dict[str, Any], how: BenchProcess
) -> tuple[CollectionReport, int]:
    """Measures all models; one that fails, hangs or crashes is a line."""
    options = {"sessions": _SESSIONS, **given}
    plan_of("", options)  # what is wrong with them is said before anything is measured
    models = list(_measured_each(models_of(targets), options, how))
    is_interrupted = any(model.is_interrupted for model in models)
    code = INTERRUPTED if is_interrupted else exit_code_of(models)
    made = make_collection_report(models, int(options["sessions"]))
    notices = [_NOT_SAVED] if how.save is None else []
    return dataclasses.replace(made, notices=(*made.notices, *notices)), code


def exit_code_of(models: Sequence[Measured]) -> int:
    """Not 0 where nothing but eager PyTorch could be measured of any model."""
    if any(row.latency for model in models for row in model.compiled()):
        return 0
    is_tried = any(model.failure or model.compiled() for model in models)
    return ModelFailedError.exit_code if is_tried else 0


def _measured_each(
    models: Sequence[str], options: Mapping[str, object], how: BenchProcess
) -> Iterator[Measured]:
    """What became of each model, without measuring again what is in the folder of recordings."""
    with tempfile.TemporaryDirectory(prefix="inspector-benches-") as scratch:
        folder = _made(how.save) if how.save is not None else Path(scratch)
        how = dataclasses.replace(how, limit_seconds=_LIMIT_SECONDS)
        saved = _saved_in(folder)
        number = max((each.number for each in saved), default=0)
        is_interrupted = False
        for at, model in enumerate(models, 1):
            found = _earlier(model, asked_of(model, options, how.python), saved)
            if found is None and is_interrupted:
                found = Measured(model, (), None, INTERRUPTED_MODEL, 0.0)
            if found is None:
                number += 1
                name = re.sub(r"[^A-Za-z0-9]+", "-", model).strip("-")
                place = folder / f"{number:03d}-{name}"
                doing = f"{model} ({at} of {len(models)})"
                each = dataclasses.replace(how, save=place, doing=doing)
                found = _measured(model, options, each)
                is_interrupted = found.is_interrupted
                _say(found, how)
            yield found


def _earlier(model: str, asked: Mapping[str, object], saved: Sequence[_Saved]) -> Measured | None:
    """What an earlier run has measured, with times of every setting, of the code as it is now."""
    known = "whole", model, json.loads(json.dumps(asked))
    for each in reversed(saved):
        if (each.meta.ended, each.meta.target, each.meta.settings) != known:
            continue
        with contextlib.suppress(RecordingError, OSError):
            with opened(each.place) as found:
                plan = BenchPlan.read(found.folder)
                report = bench_report(found.folder, plan, read_run(found))
            is_measured = all(row.latency and not row.failure for row in report.rows)
            if is_measured and not report.run.warnings and not changed_files(report.run):
                return measured_of(model, report, is_earlier=True)
    return None


def _measured(model: str, options: Mapping[str, object], how: BenchProcess) -> Measured:
    began = time.monotonic()
    try:
        return measured_of(model, measured(model, dict(options), how)[0])
    except (InspectorError, OSError) as error:  # a full disk, too many files: a line like others
        failure = in_a_line(error)
    except KeyboardInterrupt:  # while its recording was read
        failure = INTERRUPTED_MODEL
    return Measured(model, (), None, failure, time.monotonic() - began)


def in_a_line(error: InspectorError | OSError) -> str:
    """What failed, without what would stand below it; the last place in the user's own code."""
    said = str(error)
    if not isinstance(error, InspectorError) or error.next_step != TRACEBACK_BELOW:
        return said
    places = _PLACE.findall(error.detail)
    return f"{error.message} ({':'.join(places[-1])})" if places else error.message


def _made(save: Path) -> Path:
    if save.suffix == ".zip":
        message = "--save needs a folder when there are several models."
        raise RecordingError(message, "Drop the .zip suffix.")
    try:
        save.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{save} cannot be created ({error.strerror})."
        raise RecordingError(message, "Name another folder with --save.") from error
    return save


def _say(model: Measured, how: BenchProcess) -> None:
    """What is done stays on the screen while the others are measured."""
    if not how.progress or not sys.stderr.isatty():
        return
    if not model.rows:
        sys.stderr.write(one_line(f"{model.name}: {model.failure}") + "\n")
    for row in model.compiled():
        ratio = f"{row.faster.middle:.2f}\N{MULTIPLICATION SIGN}" if row.faster else row.failure
        sys.stderr.write(one_line(f"{model.name}: {row.setting.label}: {ratio}") + "\n")


def _saved_in(folder: Path) -> list[_Saved]:
    """The recordings that ``--save`` of several models has left there, in their order."""
    found = []
    for place in folder.iterdir():
        number = _NUMBER.match(place.name)  # recordings of the store have no such name
        with contextlib.suppress(RecordingError, OSError):
            meta = read_meta(place, place.name) if number else None
            if number and meta and meta.settings.get("bench"):
                found.append(_Saved(int(number[1]), place, meta))
    return sorted(found, key=lambda saved: (saved.number, saved.place.name))
