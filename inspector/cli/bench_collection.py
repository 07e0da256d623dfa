"""``inspect bench`` of several models, one after the other: a line for each."""

import dataclasses
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.cli.bench_measure import INTERRUPTED, BenchProcess, measured
from inspector.cli.bench_plan import plan_of
from inspector.cli.target import is_model
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
)
from inspector.features.bench.rows import INTERRUPTED as INTERRUPTED_MODEL
from inspector.report.escaping import one_line
from inspector.shared.meta import META_FILE

_SESSIONS = 1  # of many models; several of one model say more of that one
_LIMIT_SECONDS = 900.0  # one that hangs holds the others up
_MODEL = "model.py"
_INSTALLED = frozenset({"site-packages", "dist-packages", "node_modules"})
_ENVIRONMENT = "pyvenv.cfg"
# As Python spells a place in a traceback.
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')


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
    return make_collection_report(models, int(options["sessions"])), code


def exit_code_of(models: Sequence[Measured]) -> int:
    """Not 0 where nothing but eager PyTorch could be measured of any model."""
    if any(row.latency for model in models for row in model.compiled()):
        return 0
    is_tried = any(model.failure or model.compiled() for model in models)
    return ModelFailedError.exit_code if is_tried else 0


def _measured_each(
    models: Sequence[str], options: Mapping[str, object], how: BenchProcess
) -> Iterator[Measured]:
    with tempfile.TemporaryDirectory(prefix="inspector-benches-") as scratch:
        folder = _made(how.save) if how.save is not None else Path(scratch)
        others = len(list(folder.iterdir()))  # of an earlier run
        is_interrupted = False
        for at, model in enumerate(models, 1):
            if is_interrupted:
                yield Measured(model, failure=INTERRUPTED_MODEL)
                continue
            name = re.sub(r"[^A-Za-z0-9]+", "-", model).strip("-")
            each = dataclasses.replace(
                how,
                save=folder / f"{others + at:03d}-{name}",
                doing=f"{model} ({at} of {len(models)})",
                limit_seconds=_LIMIT_SECONDS,
            )
            found = _measured(model, options, each)
            is_interrupted = found.is_interrupted
            _say(found, how)
            yield found


def _measured(model: str, options: Mapping[str, object], how: BenchProcess) -> Measured:
    try:
        report, _ = measured(model, dict(options), how)
    except (InspectorError, OSError) as error:  # a full disk, too many files: a line like others
        failure = in_a_line(error)
    except KeyboardInterrupt:  # while its recording was read
        failure = INTERRUPTED_MODEL
    else:
        return Measured(model, report.rows, report=report)
    return Measured(model, failure=failure)


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
