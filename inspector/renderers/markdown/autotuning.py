"""What autotuning tried, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.autotune_wording import (
    autotune_advice,
    autotune_summary,
    candidate_rows,
    tuned_lines,
)
from inspector.findings.profile_report import ProfileReport
from inspector.profiles.autotuned import Autotuning
from inspector.renderers.markdown.markup import cell, prose

_MOST_ROWS = 200


def autotuning_section(report: ProfileReport) -> Iterator[str]:
    """The lines of the section; none where nothing was tuned."""
    found = report.autotuning
    if found is None:
        return
    yield "## Autotuning"
    yield ""
    for line in autotune_summary(found, report.wall_ns):
        yield f"- {prose(line)}."
    for line in autotune_advice(found):
        yield f"- **fix:** {prose(line)}"
    yield ""
    yield from _rows(found)
    if report.all_tuned:
        yield from _candidates(found)


def _rows(found: Autotuning) -> Iterator[str]:
    rows = tuned_lines(found)
    if rows:
        yield "| tuned | cost | winner | | lines |"
        yield "|:--|--:|:--|:--|:--|"
    for row in rows[:_MOST_ROWS]:
        places = ", ".join(place for place, _ in row.places)
        texts = row.name, row.cost, row.winner, " · ".join(row.details), places
        yield "| " + " | ".join(map(cell, texts)) + " |"
    if rows:
        yield ""
    if len(rows) > _MOST_ROWS:
        yield f"> {len(rows) - _MOST_ROWS:,} more in the JSON report"
        yield ""


def _candidates(found: Autotuning) -> Iterator[str]:
    for row in tuned_lines(found)[:_MOST_ROWS]:
        yield f"### {prose(row.name)}"
        yield ""
        yield "| time | by the winner's | candidate |"
        yield "|--:|--:|:--|"
        for texts in candidate_rows(row.tuned):
            yield "| " + " | ".join(map(cell, texts)) + " |"
        yield ""
