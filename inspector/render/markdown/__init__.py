"""Renders a page as GitHub-flavoured Markdown, for a pull request's comment or a file."""

from __future__ import annotations

from typing import TextIO

from inspector.render.markdown.blocks import page_lines
from inspector.report.page import Page


def render(page: Page, stream: TextIO) -> None:
    """Writes a page. Recorded text is escaped: it cannot become markup, HTML or a mention."""
    # A recorded file name can hold what UTF-8 cannot (a lone surrogate); it is spelled out by then.
    stream.write("\n".join(page_lines(page)).rstrip("\n") + "\n")
