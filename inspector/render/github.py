"""Findings as workflow commands of GitHub Actions: annotations on the lines of a pull request."""

from typing import TextIO

from inspector.report.finding import Finding
from inspector.report.page import Page
from inspector.report.severity import Severity
from inspector.report.wording import kind

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(page: Page, stream: TextIO) -> None:
    """Writes one command for each finding, then the headline."""
    stream.writelines(_command(finding) + "\n" for finding in page.findings)
    stream.write(f"{page.headline}\n")


def _command(finding: Finding) -> str:
    place = finding.place
    fields: dict[str, object] = {"file": place.file} if place.file else {}
    if place.file and place.line:
        fields |= {"line": place.line, "endLine": place.end_line or place.line}
        # Columns of several lines are refused.
        if place.column is not None and place.end_line in {None, place.line}:
            fields["col"] = place.column + 1
    fields["title"] = kind(finding)
    named = ",".join(f"{name}={_property(str(value))}" for name, value in fields.items())
    parts = [finding.message, finding.why, f"Fix: {finding.fix}" if finding.fix else ""]
    return f"::{_COMMANDS[finding.severity]} {named}::{_data(chr(10).join(filter(None, parts)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
