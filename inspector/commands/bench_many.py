"""Measures several models for `inspect bench`, one after the other."""

from __future__ import annotations

import dataclasses
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from inspector.benches.collection import Measured
from inspector.commands.bench_measure import INTERRUPTED, BenchProcess, measured
from inspector.errors import InspectorError, RecordingError
from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import measured_of
from inspector.findings.escaping import one_line

__all__ = ["Job", "Outcome", "measured_each"]


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """A model that is to be measured.

    Attributes:
        name: What it is called.
        target: The model, as a command line would name it.
        options: Options of `inspect bench` by name.
    """

    name: str
    target: str
    options: Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What became of it.

    Attributes:
        measured: Its rows, or why there are none.
        report: Its report, or None.
        is_interrupted: Whether Ctrl-C ended it; no other comes after it then.
    """

    measured: Measured
    report: BenchReport | None
    is_interrupted: bool = False


def measured_each(jobs: Sequence[Job], how: BenchProcess) -> Iterator[Outcome]:
    """Measures all models; one that fails, hangs or crashes does not end the others.

    Args:
        jobs: The models.
        how: How the processes are run; ``save`` is a folder for a recording of each.

    Raises:
        RecordingError: The recordings cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="inspector-benches-") as scratch:
        folder = _folder(how.save, Path(scratch))
        for number, job in enumerate(jobs, 1):
            place = folder / f"{number:03d}-{re.sub(r'[^A-Za-z0-9]+', '-', job.name).strip('-')}"
            doing = f"{job.name} ({number} of {len(jobs)})"
            found = _measured(job, dataclasses.replace(how, save=place, doing=doing))
            _say(found.measured, how)
            yield found
            if found.is_interrupted:
                return


def _measured(job: Job, how: BenchProcess) -> Outcome:
    began = time.monotonic()
    try:
        report, code = measured(job.target, dict(job.options), how)
    except InspectorError as error:
        return Outcome(Measured(job.name, (), None, str(error), time.monotonic() - began), None)
    found = measured_of(job.name, report, time.monotonic() - began)
    return Outcome(found, report, code == INTERRUPTED)


def _folder(save: Path | None, scratch: Path) -> Path:
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


def _say(model: Measured, how: BenchProcess) -> None:
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
