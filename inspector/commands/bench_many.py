"""Measures several models for `inspect bench`, one after the other or side by side."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from inspector.benches.collection import Measured
from inspector.benches.rows import INTERRUPTED as INTERRUPTED_MODEL
from inspector.commands.bench_failures import NOTE_SUFFIX, in_a_line, note_of
from inspector.commands.bench_kept import KeptRecordings, asked_key
from inspector.commands.bench_measure import INTERRUPTED, BenchProcess, measured
from inspector.commands.bench_progress import BenchProgress
from inspector.commands.bench_turns import Turns
from inspector.errors import InspectorError, RecordingError
from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import measured_of
from inspector.findings.escaping import one_line
from inspector.model.out_of_memory import lacks_memory

_TICK_SECONDS = 0.2
_LIMIT_SECONDS = 900.0  # one that hangs holds the others up


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
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
        is_interrupted: Whether Ctrl-C ended it; no other is begun after it.
        is_earlier: Whether an earlier run has measured it.
    """

    measured: Measured
    report: BenchReport | None
    is_interrupted: bool = False
    is_earlier: bool = False


def measured_each(jobs: Sequence[Job], how: BenchProcess) -> Iterator[Outcome]:
    """Measures all models; one that fails, hangs or crashes does not end the others.

    Args:
        jobs: The models.
        how: How the processes are run; ``save`` is a folder for a recording of each. What an
            earlier run has left there is not measured again, nor what failed by itself then.

    Yields:
        What became of each, in their order.

    Raises:
        RecordingError: The recordings cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="inspector-benches-") as scratch:
        folder = _folder(how.save, Path(scratch))
        how = dataclasses.replace(how, limit_seconds=_LIMIT_SECONDS)
        kept = KeptRecordings.of(folder)
        earlier = {job: _earlier(job, kept, how) for job in jobs}
        left = [job for job in jobs if earlier[job] is None]
        placed = [(job, folder / _name(n, job)) for n, job in enumerate(left, kept.count + 1)]
        measure = _one_after_the_other if how.jobs == 1 else _side_by_side
        found = measure(placed, how)
        for job in jobs:
            yield earlier[job] or next(found, None) or _not_begun(job)


def _earlier(job: Job, kept: KeptRecordings, how: BenchProcess) -> Outcome | None:
    report = kept.measured(job.target, job.options, how.python, retries=how.retries)
    if report is not None:
        return Outcome(measured_of(job.name, report), report, is_earlier=True)
    note = None if how.retries else kept.failure(job.target, job.options, how.python)
    if note is None:
        return None
    return Outcome(Measured(job.name, (), None, note.failure, note.seconds), None, is_earlier=True)


def _not_begun(job: Job) -> Outcome:
    return Outcome(Measured(job.name, (), None, INTERRUPTED_MODEL, 0.0), None, is_interrupted=True)


def _name(number: int, job: Job) -> str:
    return f"{number:03d}-{re.sub(r'[^A-Za-z0-9]+', '-', job.name).strip('-')}"


def _one_after_the_other(
    placed: Sequence[tuple[Job, Path]], how: BenchProcess
) -> Iterator[Outcome]:
    for number, (job, place) in enumerate(placed, 1):
        doing = f"{job.name} ({number} of {len(placed)})"
        found = _measured(job, dataclasses.replace(how, save=place, doing=doing))
        _say(found.measured, how)
        yield found
        if found.is_interrupted:
            return


def _side_by_side(placed: Sequence[tuple[Job, Path]], how: BenchProcess) -> Iterator[Outcome]:
    """Measures models at the same time; those that had no memory beside others, again alone."""
    found = list(_in_threads(placed, how))
    is_cut_off = any(outcome.is_interrupted for outcome in found)
    for (job, place), outcome in zip(placed, found, strict=False):
        if is_cut_off or not _had_no_memory(outcome.measured):
            yield outcome
            continue
        found_again = _again(job, place, outcome, how)
        is_cut_off = found_again.is_interrupted
        _say(found_again.measured, how)
        yield found_again


def _again(job: Job, place: Path, outcome: Outcome, how: BenchProcess) -> Outcome:
    """A model's second try, with its recording in the place of the first; or the first."""
    folder = place.with_name(f"{place.name}-alone")
    doing = f"{job.name} again, alone"
    try:
        alone = _measured(job, dataclasses.replace(how, save=folder, doing=doing, jobs=1))
        if not alone.is_interrupted and _timed(alone) >= _timed(outcome):
            shutil.rmtree(place, ignore_errors=True)
            if folder.exists() and not place.exists():
                folder.rename(place)
            return alone
        is_interrupted = alone.is_interrupted
    except KeyboardInterrupt:
        is_interrupted = True
    shutil.rmtree(folder, ignore_errors=True)
    return dataclasses.replace(outcome, is_interrupted=is_interrupted)


def _timed(outcome: Outcome) -> int:
    return sum(row.latency is not None for row in outcome.measured.rows)


def _had_no_memory(model: Measured) -> bool:
    failures = (model.failure, *(row.failure for row in model.rows))
    # SIGKILL is how Linux ends a process when there is no memory left.
    return any(lacks_memory(failure) or "SIGKILL" in failure for failure in failures)


def _in_threads(placed: Sequence[tuple[Job, Path]], how: BenchProcess) -> Iterator[Outcome]:
    """Measures with a thread for each of so many models; yields in the order of the models."""
    progress = BenchProgress(enabled=how.progress, processes=len(placed), each="model")
    doing = f"{how.jobs} side by side"

    def one(job: Job, place: Path) -> Outcome:
        found = _measured(job, dataclasses.replace(how, save=place, progress=False))
        if not found.is_interrupted:
            _say(found.measured, how)
            progress.begin(doing)
        return found

    how = dataclasses.replace(how, turns=Turns())  # those that were stopped stay so

    progress.begin(doing)
    with contextlib.closing(progress), ThreadPoolExecutor(how.jobs) as pool:
        futures: list[Future[Outcome]] = []
        done = 0
        try:
            futures += [pool.submit(one, *each) for each in placed]
            for future in futures:
                while not wait([future], timeout=_TICK_SECONDS).done:
                    progress.tick()
                yield future.result()
                done += 1
        except KeyboardInterrupt as error:
            how.turns.stop(error)
            # From the end: what was not begun are the last ones then.
            late = [future for future in reversed(futures[done:]) if not future.cancel()]
            yield from (future.result() for future in reversed(late))
        finally:
            how.turns.stop()
            for future in reversed(futures):
                future.cancel()


def _measured(job: Job, how: BenchProcess) -> Outcome:
    began = time.monotonic()
    try:
        report, code = measured(job.target, dict(job.options), how)
    except (InspectorError, OSError) as error:  # a full disk, too many files: a line like others
        if isinstance(error, InspectorError):
            _keep_note(job, how, error, time.monotonic() - began)
        failure = in_a_line(error)
        return Outcome(Measured(job.name, (), None, failure, time.monotonic() - began), None)
    except KeyboardInterrupt:  # while its recording was read
        nothing = Measured(job.name, (), None, INTERRUPTED_MODEL, time.monotonic() - began)
        return Outcome(nothing, None, is_interrupted=True)
    return Outcome(measured_of(job.name, report), report, code == INTERRUPTED)


def _keep_note(job: Job, how: BenchProcess, error: InspectorError, seconds: float) -> None:
    """Says to later runs that a model has failed by itself."""
    if how.save is None:
        return
    key = asked_key(job.target, job.options, how.python)
    note = note_of(key, job.target, error, seconds, how.python)
    if note is not None:
        with contextlib.suppress(OSError):
            note.write(how.save.with_name(how.save.name + NOTE_SUFFIX))


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
