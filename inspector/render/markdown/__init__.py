"""Renders a page as GitHub-flavoured Markdown, for a pull request's comment or a file."""

from collections.abc import Iterator
from typing import TextIO

from inspector.features.overview.cost_wording import finding_cost_lines
from inspector.features.verify.trial_wording import trial_sentence
from inspector.render.markdown.markup import cell, code, details, fenced, prose
from inspector.report.escaping import pieces
from inspector.report.excerpt import excerpt_lines
from inspector.report.finding import Finding, StackLine
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
from inspector.report.stacks import callers
from inspector.report.wording import advice, kind, location, paragraphs, pointer, status, title

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
        return cell(f"`{value}`" if value and column.kind == "code" and "`" not in value else value)
    if isinstance(value, int):
        return ""
    places = ", ".join(line.place for line in value if isinstance(line, CodeLine))
    texts = [line for line in value if isinstance(line, str)]
    return cell("; ".join(filter(None, [*texts, places])))


def finding_lines(number: int, finding: Finding) -> Iterator[str]:
    """A finding: where and what, the source, why, what follows from it, what to do, how it came."""
    yield f"### {number}. {prose(title(finding))}"
    yield ""
    new = f" (**{status(finding)}**)" if status(finding) else ""
    function = finding.place.function
    inside = f" in {code(function)}" if function else ""
    yield f"{_link(finding)} at {code(location(finding.place))}{inside}{new}"
    yield ""
    source = "\n".join(_source(finding))
    if source:
        yield from fenced(source)
    if finding.why != finding.message:
        yield from _why(finding.why)
    costs = finding_cost_lines(finding)
    if costs:
        yield f"**Cost:** {prose(costs[0])}"
        yield ""
    yield from _items(costs[1:])
    texts = advice(finding)
    if texts:
        yield f"**Fix:** {prose(texts[0])}"
        yield ""
    for text in texts[1:]:
        yield f"**Or:** {prose(text)}"
        yield ""
    for tried in finding.verified:
        label = "Line" if tried.rewrites else "Set"
        yield f"**{label}:** {prose(trial_sentence(tried))}"
        yield ""
    yield from _example(finding)
    notes = finding.all_notes
    yield from _items(tuple(note for note in notes if note))
    yield from _stack(finding)


def _example(finding: Finding) -> Iterator[str]:
    """The fix as programs, folded away."""
    example = finding.example
    if example is not None:
        lines = [*fenced(example.before, "python"), "becomes", ""]
        lines += [*fenced(example.after, "python"), prose(example.keeps), ""]
        lines += [prose(pointer(finding)), ""]
        yield from details(f"Example: {example.title}", lines)


def _link(finding: Finding) -> str:
    """The kind of the finding, with a link to torch's page where there is one."""
    text = prose(kind(finding))
    plain = finding.url.startswith("https://") and not set(finding.url) & set(" ()<>\\\"'`\n")
    return f"[{text}]({finding.url})" if plain and finding.url.isprintable() else text


def _items(texts: tuple[str, ...]) -> Iterator[str]:
    yield from (f"- {prose(text)}" for text in texts)
    if texts:
        yield ""


def _why(text: str) -> Iterator[str]:
    """The explanation; consecutive lines of code in it share a block."""
    block: list[str] = []
    for paragraph in paragraphs(text):
        if paragraph.code:
            block.append(paragraph.text)
            continue
        yield from fenced("\n".join(block)) if block else ()
        block = []
        yield prose(paragraph.text)
        yield ""
    yield from fenced("\n".join(block)) if block else ()


def _source(finding: Finding) -> Iterator[str]:
    lines = excerpt_lines(finding.place)
    width = max((len(str(line.number)) for line in lines), default=0)
    for line in lines:
        yield f"{line.number or '…':>{width}} │ {line.text}"
        if line.marked:
            first, last = line.marked
            before, marked = pieces(line.text)[:first], pieces(line.text)[first:last]
            carets = " " * len("".join(before)) + "^" * len("".join(marked))
            yield f"{'':>{width}} │ {carets}"


def _stack(finding: Finding) -> Iterator[str]:
    lines = callers(finding)
    if lines:
        shown = [
            f"{line.file}:{line.line} in {line.name}" + (f"\n    {line.code}" if line.code else "")
            if isinstance(line, StackLine)
            else f"… {line}"
            for line in lines
        ]
        yield from details("How it was reached", fenced("\n".join(shown)))
