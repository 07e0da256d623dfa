"""One finding as a compiler's diagnostic, cut so that the carets are always in view."""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from inspector.features.overview.cost_wording import finding_cost_lines
from inspector.features.verify.trial_wording import trial_sentence
from inspector.render.terminal.page import Page
from inspector.report.escaping import escaped, one_line, pieces
from inspector.report.excerpt import ExcerptLine, excerpt_lines
from inspector.report.finding import Finding, Place, StackLine
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
_INDENTATION = 2
_BAR = " │ "
_MARKED_BAR = " ┃ "
_LEFT_OF_CARETS = 16


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


def source_lines(place: Place, width: int, style: str) -> Iterator[Text]:
    """The excerpt of a place, whose marks have a style, in lines of so many cells.

    The part in question has carets below it; of an expression over several lines, every line has a
    thick bar as well.
    """
    lines = excerpt_lines(place)
    numbers = max((len(str(line.number)) for line in lines), default=0) + _INDENTATION
    room = max(width - numbers - len(_BAR), 1)
    begin = _window(lines, room)
    several = sum(line.marked is not None for line in lines) > 1
    for line in lines:
        if begin and not line.marked and cell_len(escaped(line.text)) <= begin:
            continue  # nothing of this line of context is in view
        is_thick = several and line.marked is not None
        bar = Text(_MARKED_BAR if is_thick else _BAR, style=style if is_thick else "dim")
        # A style of the whole Text would also hold for what is appended to it.
        number = Text().append(f"{line.number or '…':>{numbers}}", style="dim")
        yield number.append_text(bar).append_text(_cut(line, begin, room))
        # A bar says enough where all of a line is marked.
        whole = (len(line.text) - len(line.text.lstrip()), len(line.text.rstrip()))
        if line.marked and not (several and line.marked == whole):
            first, last = (cell - begin for cell in _cells(line.text, line.marked))
            first = max(first, 0)
            carets = " " * first + "^" * max(min(last, room) - first, 1)
            yield Text(" " * numbers).append_text(bar).append(carets, style=style)


def _window(lines: Iterable[ExcerptLine], room: int) -> int:
    """The first cell that is shown: above 0 where the carets would be out of view."""
    spans = [_cells(line.text, line.marked) for line in lines if line.marked]
    if not spans or max(end for _, end in spans) <= room:
        return 0
    first = min(begin for begin, _ in spans)
    if first + 1 <= room // 2:
        return 0
    return max(first - _LEFT_OF_CARETS, 0)


def _cells(text: str, columns: tuple[int, int]) -> tuple[int, int]:
    shown = pieces(text)
    return cell_len("".join(shown[: columns[0]])), cell_len("".join(shown[: columns[1]]))


def _cut(line: ExcerptLine, begin: int, room: int) -> Text:
    text = escaped(line.text)
    style = "" if line.marked else "dim"
    if begin:
        # One cell of what is left is the ellipsis that stands for what is cut off.
        kept = cell_len(text) - begin - 1
        text = "…" + _last_cells(text, kept) if kept > 0 else "…" if text else ""
    if cell_len(text) > room:
        text = set_cell_size(text, room - 1).rstrip() + "…"
    return Text(text, style=style)


def _last_cells(text: str, cells: int) -> str:
    """The end of a text; half of a wide character becomes a space."""
    dropped = cell_len(text) - cells
    head = set_cell_size(text, dropped)
    return text[len(head) :] if text.startswith(head) else " " + text[len(head) :]
