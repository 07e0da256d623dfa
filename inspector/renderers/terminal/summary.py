"""What failed in the recorded program."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from inspector.findings.wording import failure
from inspector.model.run import Meta
from inspector.renderers.terminal.page import Page

_GAP = "  "
_MOST_TRACEBACK = 30


def error_lines(page: Page, meta: Meta) -> Iterator[Text]:
    """What failed in the recorded program, with the user's own traceback."""
    if not meta.error:
        return
    sentence = Text(f"{failure(meta)}: ", style="bold red")
    yield from page.wrapped(sentence.append_text(page.safe(meta.error)), further=_GAP)
    if meta.error_detail.strip():
        yield from page.verbatim(meta.error_detail, _GAP, "dim", _MOST_TRACEBACK)
