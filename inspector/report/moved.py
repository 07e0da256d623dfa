"""Places of findings in files whose lines have moved since the recording."""

import dataclasses
import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from inspector.report.finding import Finding, Place
from inspector.run.run import Run


def moved(findings: Iterable[Finding], run: Run) -> Iterator[Finding]:
    """The findings at the lines that the files here have now.

    A line that is gone leaves the file alone. Files that are not here, or whose whole text was not
    recorded, keep their lines.
    """
    files = {run.roots.shown(file): file for file in run.sources.whole}
    numbers: dict[str, Mapping[int, int] | None] = {}
    for finding in findings:
        name = finding.place.file
        if name not in numbers:
            text = run.sources.text(files[name]) if name in files else None
            numbers[name] = _numbers(text, name, files.get(name, ""))
        yield dataclasses.replace(finding, place=_place(finding.place, numbers[name]))


def _numbers(text: str | None, *names: str) -> Mapping[int, int] | None:
    """Today's number of each recorded line that is still there; None if nothing is known."""
    path = next((Path(name) for name in names if name and Path(name).is_file()), None)
    if text is None or path is None:
        return None
    try:
        now = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    old, new = ([line.rstrip("\r") for line in each.split("\n")] for each in (text, now))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return {
        a + at + 1: b + at + 1 for a, b, size in matcher.get_matching_blocks() for at in range(size)
    }


def _place(place: Place, numbers: Mapping[int, int] | None) -> Place:
    if numbers is None or not place.line:
        return place
    line = numbers.get(place.line, 0)
    shift = line - place.line
    end_line = place.end_line + shift if line and place.end_line else None
    if not line:
        return dataclasses.replace(place, line=0, end_line=None, column=None, end_column=None)
    return dataclasses.replace(place, line=line, end_line=end_line)
