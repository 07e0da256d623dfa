"""Renders a page as GitHub-flavoured Markdown, for a pull request's comment or a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from inspector.render.markdown.finding import finding_lines
from inspector.render.markdown.markup import cell, code, details, fenced, prose
from inspector.report.page import (
    About,
    Block,
    Cell,
    Code,
    CodeLine,
    Column,
    Fold,
    Items,
    Lines,
    Page,
    Section,
    Table,
)

_MOST_ROWS = 200


def render(page: Page, stream: TextIO) -> None:
    """Writes a page. Recorded text is escaped: it cannot become markup, HTML or a mention."""
    # A recorded file name can hold what UTF-8 cannot (a lone surrogate); it is spelled out by then.
    stream.write("\n".join(_page_lines(page)).rstrip("\n") + "\n")


def _page_lines(page: Page) -> Iterator[str]:
    if page.headline:
        target = page.about.target
        yield f"# {page.kind}: {code(target)}" if target else f"# {page.kind}"
        yield ""
        yield from _about(page.about)
        yield f"**{prose(page.headline)}**"
        yield ""
    for line in page.summary:
        yield prose(line)
        yield ""
    yield from _findings(page)
    for section in page.sections:
        yield from _section(section)
    yield from (f"- {kind}: {prose(text)}" for kind, text in page.notes)
    if page.next_steps:
        yield from [""] if page.notes else []
        yield from fenced("\n".join(page.next_steps), "sh")


def _about(about: About) -> Iterator[str]:
    for line in about.context:
        yield prose(line)
        yield ""
    for warning in about.warnings:
        yield "> [!WARNING]"
        yield f"> {prose(warning[:1].upper() + warning[1:])}"
        yield ""
    if about.error:
        yield "> [!CAUTION]"
        yield f"> {prose(about.error[:1].upper() + about.error[1:])}"
        yield ""
    if about.traceback:
        yield from details("Program traceback", fenced(about.traceback))


def _findings(page: Page) -> Iterator[str]:
    is_later = False
    for number, finding in enumerate(page.findings, 1):
        if finding.later and not is_later:
            is_later = True
            yield "## Later calls only"
            yield ""
        elif number == 1:
            yield "## Findings"
            yield ""
        yield from finding_lines(number, finding)


def _section(section: Section) -> Iterator[str]:
    body = [line for block in section.blocks for line in _block(block)]
    if body and section.title:
        yield f"## {prose(section.title)}"
        yield ""
    yield from body


def _block(block: Block) -> Iterator[str]:
    match block:
        case Lines(lines=lines):
            yield from (f"- {prose(line)}" for line in lines)
            yield from [""] if lines else []
        case Items(head=head, items=items):
            yield prose(head)
            yield ""
            yield from (f"1. {prose(item)}" for item in items[:_MOST_ROWS])
            yield ""
        case Table():
            yield from _table(block)
        case Code(text=text, language=language):
            yield from fenced(text, language)
        case Fold(title=title, blocks=blocks):
            body = [line for inner in blocks for line in _block(inner)]
            yield from details(title, body) if body else ()


def _table(table: Table) -> Iterator[str]:
    columns = [
        (index, column)
        for index, column in enumerate(table.columns)
        if column.kind != "bar" and (index == 0 or any(row[index] for row in table.rows))
    ]
    if not table.rows:
        return
    yield f"| {' | '.join(column.title for _, column in columns)} |"
    aligned = ("--:" if column.kind == "number" else ":--" for _, column in columns)
    yield f"|{'|'.join(aligned)}|"
    for row in table.rows[:_MOST_ROWS]:
        cells = (_cell(row[index], column) for index, column in columns)
        yield f"| {' | '.join(cells)} |"
    more = len(table.rows) - _MOST_ROWS
    if more > 0:
        yield f"| … {more:,} more in the JSON report |" + " |" * (len(columns) - 1)
    yield ""


def _cell(value: Cell, column: Column) -> str:
    if isinstance(value, str):
        return cell(f"`{value}`" if column.kind == "code" and "`" not in value else value)
    if isinstance(value, int):
        return ""
    places = ", ".join(line.place for line in value if isinstance(line, CodeLine))
    texts = [line for line in value if isinstance(line, str)]
    return cell("; ".join(filter(None, [*texts, places])))
