"""Any page, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from inspector.findings.escaping import escaped
from inspector.findings.wording import count
from inspector.pages.page import About, Block, Code, Fold, Items, Lines, Page, Section, Table
from inspector.renderers.terminal.finding import finding_heading, finding_lines
from inspector.renderers.terminal.page import Page as Screen
from inspector.renderers.terminal.tables import more_line, table_lines

_GAP = "  "
_MOST_FINDINGS = 40
_MOST_NOTES = 10
_MOST_TRACEBACK = 30
_STYLES = {"warning": "yellow", "problem": "red", "note": "dim"}
_DIFF_STYLES = {"-": "red", "+": "green"}


def add_page(screen: Screen, page: Page) -> None:
    """Adds the blocks of a page: the answer first."""
    screen.add(_about(screen, page.about))
    screen.add(_headline(screen, page))
    _add_findings(screen, page)
    for section in page.sections:
        screen.add(_section(screen, section, is_whole=page.is_whole))
    screen.add(_end(screen, page))


def _about(screen: Screen, about: About) -> Iterator[Text]:
    for line in about.context:
        for part in _joined(screen, line.split(" · ")):
            yield from screen.wrapped(screen.safe(part, "dim"))
    for warning in about.warnings:
        yield from screen.wrapped(screen.safe(warning, "bold yellow"), further=_GAP)
    if about.error:
        yield from screen.wrapped(screen.safe(about.error, "bold red"), further=_GAP)
    if about.traceback:
        yield from screen.verbatim(about.traceback, _GAP, "dim", _MOST_TRACEBACK)


def _joined(screen: Screen, parts: Sequence[str]) -> list[str]:
    """Parts between dots, broken only at the dots where that is possible."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and screen.safe(longer).cell_len <= screen.prose_width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _headline(screen: Screen, page: Page) -> Iterator[Text]:
    if page.headline:
        yield from screen.wrapped(screen.safe(page.headline, "bold"))
    for line in page.summary:
        yield from screen.wrapped(screen.safe(line))


def _add_findings(screen: Screen, page: Page) -> None:
    """The first ones, which cost most, as a whole; of hundreds the titles of the others."""
    most = len(page.findings) if page.is_whole else _MOST_FINDINGS
    is_later = False
    for finding in page.findings[:most]:
        if finding.later and not is_later:
            is_later = True
            screen.add([Text("Only in later calls", style="bold underline")])
        screen.add(finding_lines(screen, finding))
    rest = page.findings[most:]
    if rest:
        told = f"{count(len(rest), 'more finding')}, by their titles; -o report.md has all of them:"
        screen.add(screen.wrapped(Text(told, style="bold")))
        screen.add(line for finding in rest for line in finding_heading(screen, finding))


def _section(screen: Screen, section: Section, *, is_whole: bool) -> Iterator[Text]:
    body = [line for block in section.blocks for line in _block(screen, block, is_whole=is_whole)]
    if body and section.title:
        yield from screen.wrapped(screen.safe(section.title, "bold underline"))
    yield from body


def _block(screen: Screen, block: Block, *, is_whole: bool) -> Iterator[Text]:
    match block:
        case Lines(lines=lines):
            for line in lines:
                yield from screen.wrapped(screen.safe(line), _GAP, _GAP * 2)
        case Items():
            yield from _items(screen, block, len(block.items) if is_whole else block.limit)
        case Table():
            yield from table_lines(screen, block, len(block.rows) if is_whole else block.limit)
        case Code():
            yield from _code(screen, block)
        case Fold(title=title, blocks=blocks):
            if is_whole:
                yield from _section(screen, Section(title, blocks), is_whole=True)


def _items(screen: Screen, block: Items, limit: int) -> Iterator[Text]:
    yield from screen.wrapped(screen.safe(block.head, "dim"), _GAP, _GAP * 2)
    for item in block.items[:limit]:
        yield from screen.wrapped(screen.safe(item), f"{_GAP * 2}- ", _GAP * 4)
    yield from more_line(len(block.items) - limit, "", _GAP * 2)


def _code(screen: Screen, block: Code) -> Iterator[Text]:
    if block.language != "diff":
        # It is to be copied: no line is broken.
        yield from (Text(line) for line in escaped(block.text).split("\n"))
        return
    for line in escaped(block.text).split("\n"):
        style = _DIFF_STYLES.get(line[:1], "bold")
        yield from screen.wrapped(Text(line[2:], style=style), f"{_GAP * 2}{line[:2]}", _GAP * 4)


def _end(screen: Screen, page: Page) -> Iterator[Text]:
    limit = len(page.notes) if page.is_whole else _MOST_NOTES
    for kind, text in page.notes[:limit]:
        label = Text(f"{kind}: ", style=_STYLES[kind])
        yield from screen.wrapped(label.append_text(screen.safe(text, "not dim")), further=_GAP)
    yield from more_line(len(page.notes) - limit, "note", "")
    for index, step in enumerate(page.next_steps):
        label = Text("      ") if index else Text("next: ", style="bold")
        yield label.append_text(screen.safe(step, "cyan"))
