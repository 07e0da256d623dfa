"""Shows again what ``inspect bench`` of several models has kept in a folder; nothing is run."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from inspector.benches.collection import Measured
from inspector.commands.bench_collection import exit_code_of
from inspector.commands.bench_kept import Kept, kept_in
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
from inspector.sources.recording import opened, read_run

_OF_A_FILE = "sha256"  # what settings have of the model alone


def is_kept_collection(targets: Sequence[str]) -> bool:
    """Whether that is a folder that `--save` of several models has filled."""
    folder = Path(targets[0]) if len(targets) == 1 else None
    try:
        if folder is None or not folder.is_dir() or (folder / "meta.json").exists():
            return False
        return bool(_numbered(folder))
    except (RecordingError, OSError):  # whoever reads it says so
        return False


def kept_collection(folder: Path) -> tuple[CollectionReport, int]:
    """The report of the newest command of such a folder, and its exit code.

    Raises:
        RecordingError: No recording in it came to its end.
    """
    found = _numbered(folder)
    whole = [kept for kept in found if kept.is_whole]
    if not whole:
        message = f"No recording in {folder} came to its end."
        raise RecordingError(message, "Go on with the command that made them.")
    newest = _alike(whole[-1])
    mine = {kept.target: kept for kept in whole if _alike(kept) == newest}
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
    found: Sequence[Kept], whole: Sequence[Kept], mine: Mapping[str, Kept]
) -> Iterator[str]:
    cut_off = {kept.target for kept in found if not kept.is_whole} - mine.keys()
    if cut_off:
        have = "has" if len(cut_off) == 1 else "have"
        yield f"{count(len(cut_off), 'model')} of this folder came to no end, and {have} no line"
    others = set(map(_alike, whole)) - {_alike(whole[-1])}
    if others:
        yield (
            f"this folder has models with {count(len(others), 'other set')} of options, too: "
            "shown are those of the newest one"
        )


def _numbered(folder: Path) -> list[Kept]:
    """What `--save` of several models has left there: recordings of the store have no such name."""
    return [kept for kept in kept_in(folder) if kept.number]


def _alike(kept: Kept) -> str:
    """The options, which all models of one command have."""
    same = {name: value for name, value in kept.settings.items() if name != _OF_A_FILE}
    return json.dumps(same, sort_keys=True)


def _read(place: Path) -> BenchReport:
    with opened(place) as found:
        return bench_report(found.folder, read_plan(found.folder), read_run(found))
