"""The gate's verdict: the last thing on the page, as an exit code goes with it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from inspector.findings.report import Report
from inspector.findings.verdict import Change, changes, verdict
from inspector.findings.wording import count
from inspector.renderers.terminal.page import Page

_GAP = "  "
_MOST_CHANGES = 20
_STYLES = {"new": "bold magenta", "fixed": "green"}


def gate_lines(page: Page, report: Report) -> Iterator[Text]:
    """Whether it passes; what came and what went since the baseline."""
    gate = report.gate
    if gate is None:
        return
    label = Text().append("gate: ", style="bold green" if gate.passed else "bold red")
    yield from page.wrapped(label.append(verdict(gate)), further=_GAP)
    found = changes(report)
    shown = found[:_MOST_CHANGES]
    widths = [
        max((len(part) for part in parts), default=0)
        for parts in zip(*((item.status, item.place, item.kind) for item in shown), strict=True)
    ]
    yield from (page.cropped(_line(change, widths)) for change in shown)
    if len(found) > len(shown):
        more = count(len(found) - len(shown), "more change")
        yield Text(f"{_GAP}… {more} in the JSON report", style="dim")
    if gate.baseline and gate.baseline.differences:
        text = f"recorded otherwise than the baseline: {'; '.join(gate.baseline.differences)}"
        yield from page.wrapped(Text("note: ", style="dim").append_text(page.safe(text)), _GAP)


def _line(change: Change, widths: list[int]) -> Text:
    text = Text(_GAP).append(f"{change.status:<{widths[0]}}", style=_STYLES.get(change.status, ""))
    text.append(f"{_GAP}{change.place:<{widths[1]}}{_GAP}{change.kind:<{widths[2]}}")
    return text.append(_GAP + change.title, style="dim")
