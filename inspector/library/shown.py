"""A report that shows itself: printed, in a notebook, and where Markdown is understood."""

from __future__ import annotations

import dataclasses
import io

from inspector import plugins
from inspector.findings.closing import next_steps
from inspector.findings.report import Report, make_report
from inspector.model.run import Run

__all__ = ["ShownReport", "shown_report"]


@dataclasses.dataclass(frozen=True, slots=True)
class ShownReport(Report):
    """A `inspector.findings.report.Report` with the methods that Python and Jupyter look for."""

    def __str__(self) -> str:
        return self._rendered("terminal")

    def _repr_markdown_(self) -> str:
        return self._rendered("markdown")

    def _repr_html_(self) -> str:
        # Only its own page can keep the columns that carets point at, with colours.
        from inspector.pages.explain import page
        from inspector.renderers.terminal.html import html

        return html(page(self))

    def _rendered(self, format_: str) -> str:
        stream = io.StringIO()
        plugins.render(self, format_, stream)
        return stream.getvalue()


def shown_report(run: Run) -> ShownReport:
    """The report of a run, by all rules that there are."""
    rules = plugins.load_rules("run")
    report = make_report(run, rules, next_steps(run))
    fields = {field.name: getattr(report, field.name) for field in dataclasses.fields(Report)}
    return ShownReport(**fields)
