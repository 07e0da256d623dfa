"""Renders a report for people at a terminal, as a compiler shows its diagnostics."""

from __future__ import annotations

from typing import TextIO

from inspector.findings.any_report import AnyReport
from inspector.findings.profile_report import ProfileReport
from inspector.pages.page import Page
from inspector.renderers.terminal.blocks import add_page
from inspector.renderers.terminal.page import Page as Screen
from inspector.renderers.terminal.profile import add_profiles

__all__ = ["render"]


def render(report: Page | AnyReport, stream: TextIO) -> None:
    """Writes a report.

    Colours are left out where the stream is no terminal or ``NO_COLOR`` is set. The width is the
    terminal's, or ``COLUMNS``, or 80. Only what is to be copied (locations, links, commands) can
    make a line longer than that.
    """
    page = Screen(stream)
    match report:
        case Page():
            add_page(page, report)
        case ProfileReport():
            add_profiles(page, report)
    page.write()
