"""``inspect bench`` of several models, one after the other: a line for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspector.benches.collection import Measured
from inspector.commands.bench_folder import helpers_in, models_in
from inspector.commands.bench_many import Job, measured_each
from inspector.commands.bench_measure import INTERRUPTED, BenchProcess, plan_of
from inspector.commands.target import is_model
from inspector.errors import ModelFailedError, UsageError
from inspector.findings.collection_report import (
    CollectionReport,
    make_collection_report,
)
from inspector.model.meta_file import META_FILE

_NOT_KEPT = (
    "no recordings of these models are kept, and `inspect bench` alone shows an older one: --save "
    "DIR keeps one of each, and the same command goes on from there"
)
_TRACES = "dedicated_log_torch_trace_*"  # of a folder that TORCH_TRACE filled
_SESSIONS = 1  # of many models; several of one model say more of that one


def is_collection(targets: Sequence[str]) -> bool:
    """Whether that is more than one model: several, or a folder of models that is no recording."""
    return len(targets) > 1 or any(map(_is_folder, targets))


def _is_folder(target: str) -> bool:
    folder = Path(target)
    if not folder.is_dir() or (folder / META_FILE).exists() or any(folder.glob(_TRACES)):
        return False
    return bool(models_in(folder))


def models_of(targets: Sequence[str]) -> tuple[str, ...]:
    """The models, those of folders by name.

    Raises:
        UsageError: One is no model, and no folder of models.
    """
    found: list[str] = []
    for target in targets:
        if _is_folder(target):
            found += map(str, models_in(Path(target)))
        elif is_model(target):
            found.append(target)
        else:
            message = f"{target} is no model, and no folder with models in it."
            raise UsageError(message, "Name model.py files, or a folder of them.")
    return tuple(dict.fromkeys(found))


def collection_of(
    targets: Sequence[str], given: dict[str, Any], how: BenchProcess
) -> tuple[CollectionReport, int]:
    """Measures all models; one that fails, hangs or crashes is a line.

    Args:
        targets: The models, and folders of them, as the user would write them.
        given: The options of the command line that were given.
        how: How the processes are run; ``save`` is a folder for a recording of each.

    Returns:
        The report, and the exit code that belongs to it.

    Raises:
        UsageError: The options are not what they should be, or a target is no model.
        RecordingError: The recordings cannot be written.
    """
    options = {"sessions": _SESSIONS, **given}
    plan_of("", options)  # what is wrong with them is said before anything is measured
    jobs = [Job(name, name, options) for name in models_of(targets)]
    found = list(measured_each(jobs, how))
    models = [outcome.measured for outcome in found]
    earlier = [each.report for each in found if each.is_earlier and each.report]
    failed = sum(each.is_earlier and each.report is None for each in found)
    reports = [outcome.report for outcome in found if outcome.report is not None]
    is_interrupted = any(outcome.is_interrupted for outcome in found)
    code = INTERRUPTED if is_interrupted else exit_code_of(models)
    made = make_collection_report(models, reports, int(options["sessions"]), earlier, failed)
    notices = [*_left_out(targets), *([_NOT_KEPT] if how.save is None else [])]
    return dataclasses.replace(made, notices=(*made.notices, *notices)), code


def _left_out(targets: Sequence[str]) -> Iterator[str]:
    helpers = [file for each in targets if _is_folder(each) for file in helpers_in(Path(each))]
    if helpers:
        names = ", ".join(map(str, helpers))
        yield f"not measured, as others import it and it has no `model`: {names}"


def exit_code_of(models: Sequence[Measured]) -> int:
    """Not 0 where nothing could be measured beside eager PyTorch of any model.

    One that fails among others is a line, and what a collection is for.
    """
    if any(row.latency for model in models for row in model.compiled()):
        return 0
    is_tried = any(model.failure or model.compiled() for model in models)
    return ModelFailedError.exit_code if is_tried else 0
