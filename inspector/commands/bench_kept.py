"""What an earlier run of `inspect bench` has left in the folder of a collection's recordings."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.commands.bench_measure import asked_of, bench_report
from inspector.commands.target import changed_files
from inspector.errors import RecordingError
from inspector.findings.bench_report import BenchReport
from inspector.sources.bench_file import read_plan
from inspector.sources.meta import read_meta
from inspector.sources.recording import opened, read_run

__all__ = ["KeptRecordings"]

_NUMBER = re.compile(r"(\d+)-")
_WHOLE = "whole"


@dataclasses.dataclass(frozen=True, slots=True)
class KeptRecordings:
    """The recordings in a folder, by what was asked for.

    Attributes:
        whole: Those that came to their end, by `_key`.
        cut_off: Those that did not.
        count: The highest number that a name begins with, or 0.
    """

    whole: Mapping[str, Sequence[Path]]
    cut_off: Mapping[str, Sequence[Path]]
    count: int

    @classmethod
    def of(cls, folder: Path) -> KeptRecordings:
        """Those of a folder; what is no recording of this command is left alone."""
        whole: dict[str, list[Path]] = {}
        cut_off: dict[str, list[Path]] = {}
        count = 0
        for place in sorted(folder.iterdir()):
            numbered = _NUMBER.match(place.name)
            count = max(count, int(numbered[1]) if numbered else 0)
            try:
                meta = read_meta(place, place.name)
            except RecordingError:
                continue
            if meta.settings.get("bench"):
                found = whole if meta.ended == _WHOLE else cut_off
                found.setdefault(_key(meta.target, meta.settings), []).append(place)
        return cls(whole, cut_off, count)

    def measured(
        self, target: str, options: Mapping[str, object], python: str | None
    ) -> BenchReport | None:
        """What was measured of a model; None where it was not, or not all.

        Args:
            target: The model, as the user wrote it.
            options: The options of the command line.
            python: The interpreter that was asked for.
        """
        key = _key(target, asked_of(options, python))
        newest_first = reversed(self.whole.get(key, ()))
        found = next(filter(None, map(_unless_changed, newest_first)), None)
        for place in self.cut_off.get(key, ()) if found is None else ():
            shutil.rmtree(place, ignore_errors=True)  # it is begun anew
        return found


def _key(target: str, settings: Mapping[str, object]) -> str:
    return json.dumps([target, settings], sort_keys=True)


def _unless_changed(place: Path) -> BenchReport | None:
    """What a recording says; None where it cannot be read, or is of code that is another now."""
    try:
        with opened(place) as found:
            run = read_run(found)
            if changed_files(run):
                return None
            return bench_report(found.folder, read_plan(found.folder), run)
    except RecordingError:
        return None
