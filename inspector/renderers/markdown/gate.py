"""The gate's verdict, at the top: whoever reads a comment under a pull request looks for it."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.report import Report
from inspector.findings.verdict import changes, verdict
from inspector.findings.wording import count
from inspector.renderers.markdown.markup import cell, code, prose

_MOST_CHANGES = 20


def gate_lines(report: Report) -> Iterator[str]:
    """Whether it passes; what came and what went since the baseline."""
    gate = report.gate
    if gate is None:
        return
    yield "> [!NOTE]" if gate.passed else "> [!IMPORTANT]"
    yield f"> Gate {prose(verdict(gate))}."
    yield ""
    found = changes(report)
    if found:
        yield "| | where | what | |"
        yield "|:--|:--|:--|:--|"
        for change in found[:_MOST_CHANGES]:
            what = f"{cell(change.kind)} | {cell(change.title)}"
            yield f"| {change.status} | {cell(code(change.place))} | {what} |"
        yield ""
    if len(found) > _MOST_CHANGES:
        yield f"… {count(len(found) - _MOST_CHANGES, 'more change')} in the JSON report"
        yield ""
    if gate.baseline and gate.baseline.differences:
        differences = "; ".join(gate.baseline.differences)
        yield f"Recorded otherwise than the baseline: {prose(differences)}."
        yield ""
