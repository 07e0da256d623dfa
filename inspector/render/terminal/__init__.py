"""Renders a page for people at a terminal, as a compiler shows its diagnostics."""

from __future__ import annotations

from typing import TextIO

from inspector.render.terminal.blocks import add_page
from inspector.render.terminal.page import Page as Screen
from inspector.report.page import Page


def render(page: Page, stream: TextIO) -> None:
    """Writes a page.

    Colours are left out where the stream is no terminal or ``NO_COLOR`` is set. The width is the
    terminal's, or ``COLUMNS``, or 80. Only what is to be copied (locations, links, commands) can
    make a line longer than that.
    """
    screen = Screen(stream)
    add_page(screen, page)
    screen.write()
