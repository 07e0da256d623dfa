"""Source lines with line numbers and carets, cut so that the carets are always in view."""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from inspector.report.escaping import escaped, pieces
from inspector.report.excerpt import ExcerptLine, excerpt_lines
from inspector.report.finding import Place

_INDENTATION = 2
_BAR = " │ "
_MARKED_BAR = " ┃ "
_LEFT_OF_CARETS = 16


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
        yield number.append_text(bar).append_text(_code(line, begin, room))
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


def _code(line: ExcerptLine, begin: int, room: int) -> Text:
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
