"""Published figures beside measured ones, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from inspector.benches.claims import Verdict
from inspector.findings.claims_report import (
    CheckedModel,
    ClaimsReport,
    claim_cells,
    claims_line,
    claims_machine,
)
from inspector.renderers.terminal.page import Page

_GAP = "  "
_STYLES = {
    Verdict.AS.value: "green",
    Verdict.MORE.value: "green",
    Verdict.SHORTER.value: "green",
    Verdict.LESS.value: "yellow",
    Verdict.LONGER.value: "yellow",
    Verdict.NONE.value: "red",
}


def add_claims(page: Page, report: ClaimsReport) -> None:
    """Adds what became of the claims together, then two lines for each."""
    page.add(_head(page, report))
    for model in report.models:
        page.add(_model(page, model))
    page.add(_notices(page, report))


def _head(page: Page, report: ClaimsReport) -> Iterator[Text]:
    yield from page.wrapped(page.safe(claims_machine(report), "dim"))
    if report.claims.published:
        yield from page.wrapped(page.safe(f"published: {report.claims.published}", "dim"))
    yield from page.wrapped(page.safe(f"{claims_line(report)}.", "bold"), "", _GAP)


def _model(page: Page, model: CheckedModel) -> Iterator[Text]:
    title = page.safe(model.model.name, "bold")
    if model.inputs:
        title.append(" \N{MIDDLE DOT} ").append_text(page.safe(model.inputs, "dim"))
    yield from page.wrapped(title, "", _GAP)
    rows = list(claim_cells(model))
    widths = [max(cell_len(cells[at]) for cells in rows) for at in range(2)]
    for setting, what, published, here, verdict in rows:
        line = Text(_GAP)
        for text, width in zip((setting, what), widths, strict=True):
            line.append_text(page.safe(text)).append(" " * (width - cell_len(text)) + _GAP)
        yield page.cropped(line.append(verdict, _STYLES.get(verdict, "")))
        both = page.safe(f"published {published}", "dim").append(" \N{MIDDLE DOT} ")
        both.append_text(page.safe(f"here {here}"))
        yield from page.wrapped(both, _GAP * 3, _GAP * 4)


def _notices(page: Page, report: ClaimsReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
