"""Shows again what ``inspect bench`` of several models has kept in a folder; nothing is run."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from inspector.benches.collection import Measured
from inspector.commands.bench_collection import exit_code_of
from inspector.commands.bench_failures import NOTE_SUFFIX, FailureNote
from inspector.commands.bench_measure import bench_report
from inspector.errors import RecordingError
from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import (
    CollectionReport,
    make_collection_report,
    measured_of,
)
from inspector.findings.wording import count
from inspector.sources.bench_file import read_plan
from inspector.sources.meta import read_meta
from inspector.sources.recording import opened, read_run

__all__ = ["is_kept_collection", "kept_collection"]

_WHOLE = "whole"
_NUMBER = re.compile(r"(\d+)-")  # recordings of the store have a number alone
_OF_A_FILE = "sha256"  # what settings have of the model alone


@dataclasses.dataclass(frozen=True, slots=True)
class _Kept:
    """A model of which there is a recording, or a note that it failed.

    Attributes:
        place: The recording, or the note.
        target: The model, as the user wrote it.
        settings: With which options, as JSON: those of all models of one command are alike.
        is_whole: Whether it came to its end.
        note: The note, or None.
    """

    place: Path
    target: str
    settings: str
    is_whole: bool
    note: FailureNote | None = None


def is_kept_collection(targets: Sequence[str]) -> bool:
    """Whether that is a folder that `--save` of several models has filled."""
    folder = Path(targets[0]) if len(targets) == 1 else None
    try:
        if folder is None or not folder.is_dir() or (folder / "meta.json").exists():
            return False
        return next(_found_in(folder), None) is not None
    except OSError:  # whoever reads it says so
        return False


def kept_collection(folder: Path) -> tuple[CollectionReport, int]:
    """The report of the newest command of such a folder, and its exit code.

    Raises:
        RecordingError: No recording in it came to its end.
    """
    found = list(_found_in(folder))
    whole = [kept for kept in found if kept.is_whole]
    if not whole:
        message = f"No recording in {folder} came to its end."
        raise RecordingError(message, "Go on with the command that made them.")
    mine = {kept.target: kept for kept in whole if kept.settings == whole[-1].settings}
    models, reports, sessions = [], [], 1
    for kept in mine.values():
        if kept.note is not None:
            models.append(Measured(kept.target, (), None, kept.note.failure, kept.note.seconds))
            continue
        try:
            report = _read(kept.place)
        except (RecordingError, OSError) as error:  # damaged: a line, as all that fails
            models.append(Measured(kept.target, (), None, str(error), 0.0))
            continue
        reports.append(report)
        models.append(measured_of(kept.target, report))
        sessions = report.plan.sessions
    made = make_collection_report(models, reports, sessions)
    notices = (*made.notices, *_left_out(found, whole, mine))
    return dataclasses.replace(made, notices=notices), exit_code_of(models)


def _left_out(
    found: Sequence[_Kept], whole: Sequence[_Kept], mine: Mapping[str, _Kept]
) -> Iterator[str]:
    cut_off = {kept.target for kept in found if not kept.is_whole} - mine.keys()
    if cut_off:
        have = "has" if len(cut_off) == 1 else "have"
        yield f"{count(len(cut_off), 'model')} of this folder came to no end, and {have} no line"
    others = {kept.settings for kept in whole} - {whole[-1].settings}
    if others:
        yield (
            f"this folder has models with {count(len(others), 'other set')} of options, too: "
            "shown are those of the newest one"
        )


def _found_in(folder: Path) -> Iterator[_Kept]:
    """What is in the folder, in the order of the numbers that names begin with."""
    numbered = [
        (found, place) for place in folder.iterdir() if (found := _NUMBER.match(place.name))
    ]
    for _, place in sorted(numbered, key=lambda item: (int(item[0][1]), item[1].name)):
        if place.name.endswith(NOTE_SUFFIX):
            kept = _of_note(place)
            if kept is not None:
                yield kept
            continue
        try:
            meta = read_meta(place, place.name) if place.is_dir() else None
        except (RecordingError, OSError):
            continue
        if meta is not None and meta.settings.get("bench"):
            is_whole = meta.ended == _WHOLE
            yield _Kept(place, meta.target, _alike(meta.settings), is_whole=is_whole)


def _of_note(place: Path) -> _Kept | None:
    note = FailureNote.read(place)
    if note is None:
        return None
    try:
        target, settings = json.loads(note.key)
        return _Kept(place, str(target), _alike(settings), is_whole=True, note=note)
    except (ValueError, TypeError, AttributeError):  # of another version, or garbled
        return None


def _alike(settings: Mapping[str, object]) -> str:
    kept = {name: value for name, value in settings.items() if name != _OF_A_FILE}
    return json.dumps(kept, sort_keys=True)


def _read(place: Path) -> BenchReport:
    with opened(place) as found:
        return bench_report(found.folder, read_plan(found.folder), read_run(found))
