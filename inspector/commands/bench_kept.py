"""What an earlier run of `inspect bench` has left in the folder of a collection's recordings."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.commands.bench_failures import (
    NOTE_SUFFIX,
    FailureNote,
    fails_again,
    project_digest,
    torch_version,
)
from inspector.commands.bench_measure import asked_of, bench_report
from inspector.commands.target import changed_files
from inspector.errors import RecordingError
from inspector.findings.bench_report import BenchReport
from inspector.model.run import Run
from inspector.sources.bench_file import read_plan
from inspector.sources.meta import read_meta
from inspector.sources.recording import opened, read_run

_NUMBER = re.compile(r"(\d+)-")
_WHOLE = "whole"


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """A model of which there is a recording, or a note that it failed.

    Attributes:
        place: The recording, or the note.
        number: What its name begins with, or 0.
        target: The model, as the user wrote it.
        settings: With which options.
        is_whole: Whether it came to its end.
        note: The note, or None.
    """

    place: Path
    number: int
    target: str
    settings: Mapping[str, object]
    is_whole: bool
    note: FailureNote | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class KeptRecordings:
    """The recordings in a folder that came to their end, by what was asked for.

    Attributes:
        whole: The recordings, by `_key`, the newest last.
        failed: Of what could not be measured, the notes likewise.
        count: The highest number that a name in the folder begins with, or 0.
    """

    whole: Mapping[str, Sequence[Path]]
    failed: Mapping[str, FailureNote]
    count: int

    @classmethod
    def of(cls, folder: Path) -> KeptRecordings:
        """Those of a folder; what is no recording of this command is left alone.

        Raises:
            RecordingError: The folder cannot be read.
        """
        whole: dict[str, list[Path]] = {}
        failed: dict[str, FailureNote] = {}
        count = 0
        for kept in kept_in(folder):
            count = max(count, kept.number)
            if kept.note is not None:
                failed[kept.note.key] = kept.note
            elif kept.is_whole:
                whole.setdefault(_key(kept.target, kept.settings), []).append(kept.place)
        return cls(whole, failed, count)

    def failure(
        self, target: str, options: Mapping[str, object], python: str | None
    ) -> FailureNote | None:
        """The note of a model that failed by itself, if code and torch are those of then."""
        note = self.failed.get(asked_key(target, options, python))
        if note is None or note.torch != torch_version(python):
            return None
        return note if note.digest == project_digest(target) else None

    def measured(
        self,
        target: str,
        options: Mapping[str, object],
        python: str | None,
        *,
        retries: bool = False,
    ) -> BenchReport | None:
        """What was measured of a model; None where it was not, or may do better another time.

        Args:
            target: The model, as the user wrote it.
            options: The options of the command line.
            python: The interpreter that was asked for.
            retries: Whether what has failed is tried again.
        """
        newest_first = reversed(self.whole.get(asked_key(target, options, python), ()))
        return next(
            filter(None, (_read(place, python, retries=retries) for place in newest_first)), None
        )


def kept_in(folder: Path) -> list[Kept]:
    """What the folder of a collection's recordings holds, in the order of the names' numbers.

    What is no recording of this command, and no note, is left alone.

    Raises:
        RecordingError: The folder cannot be read.
    """
    try:
        places = list(folder.iterdir())
    except OSError as error:
        message = f"{folder} cannot be read ({error.strerror})."
        raise RecordingError(message, "Name another folder.") from error
    found = filter(None, map(_kept, places))
    return sorted(found, key=lambda kept: (kept.number, kept.place.name))


def _kept(place: Path) -> Kept | None:
    numbered = _NUMBER.match(place.name)
    number = int(numbered[1]) if numbered else 0
    if place.name.endswith(NOTE_SUFFIX):
        note = FailureNote.read(place)
        asked = note.asked if note is not None else None
        return None if asked is None else Kept(place, number, *asked, is_whole=True, note=note)
    try:
        meta = read_meta(place, place.name)
    except (RecordingError, OSError):
        return None
    if not meta.settings.get("bench"):
        return None
    return Kept(place, number, meta.target, meta.settings, is_whole=meta.ended == _WHOLE)


def asked_key(target: str, options: Mapping[str, object], python: str | None) -> str:
    """What tells what is asked for of one model from all else."""
    return _key(target, asked_of(target, options, python))


def _key(target: str, settings: Mapping[str, object]) -> str:
    return json.dumps([target, settings], sort_keys=True)


def _read(place: Path, python: str | None, *, retries: bool) -> BenchReport | None:
    """What a recording says, if it is whole, and of the code and the torch that are there now."""
    try:
        with opened(place) as found:
            run = read_run(found)
            if run.warnings or changed_files(run) or _is_other_torch(run, python):
                return None
            report = bench_report(found.folder, read_plan(found.folder), run)
    except (RecordingError, OSError):
        return None
    # What failed may not fail again: for want of time, or of memory beside others.
    ends = (end.failure for end in report.plan.ends if end.failure and not end.is_left_out)
    failures = (*ends, *(row.failure for row in report.rows if row.failure))
    is_whole = report.rows and all(row.latency or row.failure for row in report.rows)
    is_last = is_whole and all(map(fails_again, failures))
    return report if is_last and not (retries and any(failures)) else None


def _is_other_torch(run: Run, python: str | None) -> bool:
    """Whether it was recorded with another version than that of the interpreter's environment."""
    theirs = {process.versions.get("torch", "") for process in run.processes if process.versions}
    return {version.partition("+")[0] for version in theirs} != {torch_version(python)}
