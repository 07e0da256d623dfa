"""What autotuning tried, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from inspector.findings.autotune_wording import (
    TunedLine,
    autotune_advice,
    autotune_summary,
    candidate_rows,
    tuned_lines,
)
from inspector.findings.profile_report import ProfileReport
from inspector.renderers.terminal.page import Page

_GAP = "  "
_MOST_PLACES = 2


def autotuning_lines(page: Page, report: ProfileReport) -> Iterator[Text]:
    """The lines of the section; none where nothing was tuned."""
    found = report.autotuning
    if found is None:
        return
    yield Text("Autotuning", style="bold")
    for line in autotune_summary(found, report.wall_ns):
        yield from page.wrapped(page.safe(f"{line}."), _GAP, _GAP * 2)
    for advice in autotune_advice(found):
        text = Text("fix: ", style="green").append_text(page.safe(advice))
        yield from page.wrapped(text, _GAP, _GAP * 2)
    rows = tuned_lines(found)
    if report.all_tuned:
        for row in rows:
            yield from _row(page, row)
            yield from _candidates(page, row)
    elif any(row.tuned.candidates for row in rows):
        yield Text(f"{_GAP}… all candidates: inspect profile --autotune", style="dim")


def _row(page: Page, row: TunedLine) -> Iterator[Text]:
    head = Text(f"{_GAP}{row.cost:>9}  ")
    yield page.cropped(head.append_text(page.safe(row.name, "cyan")))
    yield from page.wrapped(page.safe(row.winner), _GAP * 4, _GAP * 5)
    if row.details:
        yield from page.wrapped(page.safe(" · ".join(row.details)), _GAP * 4, _GAP * 5)
    for place, code in row.places[:_MOST_PLACES]:
        text = Text(_GAP * 4).append_text(page.safe(place)).append(_GAP)
        yield page.cropped(text.append_text(page.safe(code, "dim")))


def _candidates(page: Page, row: TunedLine) -> Iterator[Text]:
    for time, relation, what in candidate_rows(row.tuned):
        head = Text(f"{time:>8} {relation:>6}  ", style="dim")
        yield from page.wrapped(head.append_text(page.safe(what)), _GAP * 4, _GAP * 7)
