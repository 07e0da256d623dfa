"""Renders a report as GitHub-flavoured Markdown, for a pull request's comment or a file."""

from __future__ import annotations

from typing import TextIO

from inspector.findings.any_report import AnyReport
from inspector.findings.profile_report import ProfileReport
from inspector.pages.page import Page
from inspector.renderers.markdown.blocks import page_lines
from inspector.renderers.markdown.profile import profile_lines

__all__ = ["render"]


def render(report: Page | AnyReport, stream: TextIO) -> None:
    """Writes a report. Recorded text is escaped: it cannot become markup, HTML or a mention."""
    match report:
        case Page():
            lines = list(page_lines(report))
        case ProfileReport():
            lines = list(profile_lines(report))
    # A recorded file name can hold what UTF-8 cannot (a lone surrogate); it is spelled out by then.
    stream.write("\n".join(lines).rstrip("\n") + "\n")
