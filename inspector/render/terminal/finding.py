"""One finding as a compiler's diagnostic."""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.text import Text

from inspector.features.overview.cost_wording import finding_cost_lines
from inspector.features.verify.trial_wording import trial_sentence
from inspector.render.terminal.page import Page
from inspector.render.terminal.source import source_lines
from inspector.report.escaping import one_line
from inspector.report.finding import Finding, StackLine
from inspector.report.severity import Severity
from inspector.report.stacks import Folded, callers
from inspector.report.wording import advice, kind, location, paragraphs, pointer, status, title
from inspector.shared.roots import Owner

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}
_STATUS_STYLES = {"new": "bold magenta", "known": "dim"}
_GAP = "  "
_LABEL = 8
_MOST_LINES = 12
_WHOLE = frozenset({"fix", "or", "set"})  # what is to be written is never cut off
_MOST_ALIGNED = 40


def finding_lines(page: Page, finding: Finding, *, is_whole: bool) -> Iterator[Text]:
    """A finding: where and what, the source, why, what follows from it, what to do, how it came.

    Args:
        is_whole: Whether it has notes, how it was reached in the user's own code, and links.
    """
    style = _STYLES[finding.severity]
    yield from _heading(page, finding, style)
    if is_whole or not _is_definition(finding):
        yield from source_lines(finding.place, page.width, style)
    details = list(_details(page, finding, is_whole=is_whole))
    if details:
        yield Text()
    yield from details


def finding_heading(page: Page, finding: Finding) -> Iterator[Text]:
    """Where and what alone, for the many behind the first ones."""
    yield from _heading(page, finding, _STYLES[finding.severity])


def _is_definition(finding: Finding) -> bool:
    """Whether the line only says which function it is, which the title does, too."""
    place = finding.place
    code = next((line.text for line in place.excerpt if line.number == place.line), "")
    return code.lstrip().startswith(("def ", "async def ", "class ", "@"))


def _details(page: Page, finding: Finding, *, is_whole: bool) -> Iterator[Text]:
    yield from _prose(page, "why", finding.why if finding.why != finding.message else "")
    yield from _prose(page, "cost", "\n".join(finding_cost_lines(finding)))
    for note in (*(finding.notes if is_whole else ()), *finding.also):
        yield from _prose(page, "note", note)
    for index, text in enumerate(advice(finding)):
        yield from _prose(page, "or" if index else "fix", text, "bold green")
    for tried in finding.verified:
        label = "line" if tried.rewrites else "set"
        yield from _prose(page, label, trial_sentence(tried), "bold green")
    yield from _prose(page, "more", pointer(finding))
    stack = finding.place.stack
    if is_whole or (stack and stack[-1].owner != Owner.PROJECT.value):
        yield from _via(page, callers(finding))
    if finding.url and is_whole:
        yield _labelled("see").append(one_line(finding.url), style="dim")


def _heading(page: Page, finding: Finding, style: str) -> Iterator[Text]:
    where = Text(location(finding.place), style="bold").append(_GAP).append(kind(finding), style)
    if status(finding):
        where.append(_GAP).append(status(finding), _STATUS_STYLES[status(finding)])
    what = title(finding)
    if cell_len(where.plain) + len(_GAP) + cell_len(what) <= page.width:
        yield where.append(_GAP + what, style="not bold")
        return
    yield where
    yield from page.wrapped(Text(what), _GAP)


def _labelled(label: str, style: str = "bold") -> Text:
    return Text(_GAP).append(f"{label}:", style).append(" " * (_LABEL - len(label) - 3))


def _prose(page: Page, label: str, text: str, style: str = "bold") -> Iterator[Text]:
    lines: list[Text] = []
    for paragraph in paragraphs(text):
        indentation = " " * (_LABEL + (2 if paragraph.code else 0))
        shown = Text(paragraph.text, style="dim" if paragraph.code else "")
        lines += page.wrapped(shown, indentation)
    if lines:
        yield _labelled(label, style).append_text(lines[0][_LABEL:])
    most = len(lines) if label in _WHOLE else _MOST_LINES
    yield from lines[1:most]
    if len(lines) > most:
        yield Text(f"{' ' * _LABEL}… {len(lines) - most:,} more lines", style="dim")


def _via(page: Page, lines: Iterable[StackLine | Folded]) -> Iterator[Text]:
    """How the place was reached, outermost first, as tracebacks have it."""
    lines = list(lines)
    names = [_name(line) for line in lines]
    shown = [cell_len(name) for name, line in zip(names, lines, strict=True) if _code(line)]
    widest = max((width for width in shown if width <= _MOST_ALIGNED), default=0)
    for index, (name, line) in enumerate(zip(names, lines, strict=True)):
        text = Text(" " * _LABEL) if index else _labelled("via")
        text.append(name, style="dim" if isinstance(line, Folded) else "")
        if _code(line):
            text.append(" " * max(widest - cell_len(name), 0) + _GAP + _code(line), style="dim")
        yield page.cropped(text)


def _name(line: StackLine | Folded) -> str:
    if isinstance(line, Folded):
        return one_line(f"… {line}")
    return one_line(f"{line.file}:{line.line} in {line.name}")


def _code(line: StackLine | Folded) -> str:
    return "" if isinstance(line, Folded) else one_line(line.code)
