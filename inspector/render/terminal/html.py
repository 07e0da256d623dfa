"""The terminal's page as HTML, for a notebook's cell."""

import dataclasses
import io

from rich.console import Console
from rich.text import Text

from inspector.render.terminal import render
from inspector.report.page import Page

_WIDTH = 100
# Follows the notebook's theme: no background, no colour of its own for plain text.
_FORMAT = (
    '<pre style="white-space:pre;overflow-x:auto;line-height:1.3;'
    "font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace\">{code}</pre>"
)


class _Terminal(io.StringIO):
    """A stream that takes colours."""

    def isatty(self) -> bool:
        return True


def html(page: Page) -> str:
    """A page as one element without scripts; recorded text is escaped."""
    stream = _Terminal()
    render(dataclasses.replace(page, is_whole=True), stream)
    console = Console(file=io.StringIO(), record=True, width=_WIDTH, force_jupyter=False)
    console.print(Text.from_ansi(stream.getvalue()), soft_wrap=True)
    return console.export_html(inline_styles=True, code_format=_FORMAT)
