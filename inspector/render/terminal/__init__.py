"""Renders a page for people at a terminal, as a compiler shows its diagnostics."""

from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.text import Text

from inspector.render.terminal.finding import finding_heading, finding_lines
from inspector.render.terminal.page import Page as Screen
from inspector.render.terminal.tables import more_line, table_lines
from inspector.report.escaping import escaped
from inspector.report.finding import Finding
from inspector.report.page import About, Block, Code, Fold, Items, Lines, Page, Section, Table
from inspector.report.wording import count

_GAP = "  "
# Of a screen of 50 lines, on a short page; one finding is always shown.
_FINDING_LINES = 26
_MOST_TITLES = 12
_MOST_NOTES = 3
_MOST_TRACEBACK = 30
_STYLES = {"warning": "yellow", "problem": "red", "note": "dim"}
_DIFF_STYLES = {"-": "red", "+": "green"}


def render(page: Page, stream: TextIO) -> None:
    """Writes a page.

    Colours are left out where the stream is no terminal or ``NO_COLOR`` is set. The width is the
    terminal's, or ``COLUMNS``, or 80. Only what is to be copied (locations, links, commands) can
    make a line longer than that.
    """
    screen = Screen(stream)
    screen.add(_about(screen, page.about))
    head = screen.wrapped(screen.safe(page.headline, "bold")) if page.headline else []
    for line in page.summary:
        head += screen.wrapped(screen.safe(line))
    screen.add(head)
    _add_findings(screen, page)
    hidden: list[str] = []
    for section in page.sections:
        lines = list(_section(screen, section, is_whole=page.is_whole))
        if lines and section.is_detail and not page.is_whole:
            hidden.append(section.title)
        else:
            screen.add(lines)
    if hidden:
        screen.add(screen.wrapped(Text(f"-v shows: {', '.join(hidden)}", style="dim")))
    screen.add(_end(screen, page))
    screen.write()


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


def _add_findings(screen: Screen, page: Page) -> None:
    """The first ones, which cost most, as a whole; of the others the titles."""
    heading = [Text("Later calls only", style="bold underline")]
    room = _FINDING_LINES
    rest: list[Finding] = []
    for number, finding in enumerate(page.findings):
        lines = list(finding_lines(screen, finding, is_whole=page.is_whole))
        room -= len(lines) + 1
        if rest or (number and room < 0 and not page.is_whole):
            rest.append(finding)
            continue
        if finding.later and not (number and page.findings[number - 1].later):
            screen.add(heading)
        screen.add(lines)
    if rest:
        more = Text(f"{count(len(rest), 'more finding')}; -v shows all", style="bold")
        titles = (line for item in rest[:_MOST_TITLES] for line in finding_heading(screen, item))
        screen.add([*screen.wrapped(more), *titles])


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
            yield from table_lines(screen, block, is_whole=is_whole)
        case Code():
            yield from _code(screen, block)
        case Fold(title=title, blocks=blocks):
            shown = [inner for inner in blocks if not isinstance(inner, Code)]
            if is_whole:
                yield from _section(screen, Section(title, shown), is_whole=True)


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
    for kind, text in sorted(page.notes, key=lambda note: note[0] == "note")[:limit]:
        label = Text(f"{kind}: ", style=_STYLES[kind])
        yield from screen.wrapped(label.append_text(screen.safe(text, "not dim")), further=_GAP)
    yield from more_line(len(page.notes) - limit, "note", "")
    for index, step in enumerate(page.next_steps):
        label = Text("      ") if index else Text("next: ", style="bold")
        yield label.append_text(screen.safe(step, "cyan"))
