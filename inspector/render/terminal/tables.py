"""Tables at the width of a terminal."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from inspector.render.terminal.page import Page as Screen
from inspector.report.escaping import one_line
from inspector.report.page import Cell, CodeLine, Column, Table
from inspector.report.wording import count

_GAP = "  "
_BAR_WIDTH = 32
_LEAST_NAME = 16
_LEAST_TEXT = 20
_END = 0.25  # of the width, which the last text has at least if it needs it
_MOST_CODE_LINES = 2
_MOST_LINES = 4
_EIGHTHS = " ▏▎▍▌▋▊▉"
_TONES = {"new": "green", "gone": "red", "changed": "yellow"}


def table_lines(screen: Screen, table: Table, *, is_whole: bool) -> Iterator[Text]:
    """The rows, each on a line with its columns aligned; what is below follows it."""
    limit = len(table.rows) if is_whole else table.limit
    below_kinds = {"below", "detail"} if is_whole else {"below"}
    rows = table.rows[:limit]
    columns = [
        (index, column)
        for index, column in enumerate(table.columns)
        if column.kind not in {"below", "detail"}
        and (index == 0 or any(row[index] for row in rows))
    ]
    below = [index for index, column in enumerate(table.columns) if column.kind in below_kinds]
    layout = _Layout(screen, [column for _, column in columns], table.tone)
    cells = [[row[index] for index, _ in columns] for row in rows]
    layout.measure(cells)
    if layout.has_titles:
        yield from layout.line([column.title for _, column in columns], is_title=True)
    for row, shown in zip(rows, cells, strict=True):
        yield from layout.line(shown)
        for index in below:
            yield from _below(screen, row[index])
    yield from more_line(len(table.rows) - limit, table.noun, _GAP)


def more_line(number: int, noun: str, indentation: str) -> Iterator[Text]:
    """``… 8 more kernels (-v)``."""
    if number > 0:
        more = count(number, f"more {noun}") if noun else f"{number:,} more"
        yield Text(f"{indentation}… {more} (-v)", style="dim")


class _Layout:
    """How wide columns are, so that a row fits on a line."""

    def __init__(self, screen: Screen, columns: Sequence[Column], tone: str) -> None:
        self._screen = screen
        self._columns = columns
        self._tone = tone
        self._widths: list[int] = []
        self._longest = 0
        self.has_titles = any(column.title for column in columns[1:])

    def measure(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Finds the widths: names are cut before numbers, and before the text at the end."""
        titles = [column.title for column in self._columns] if self.has_titles else []
        shown = [*rows, titles] if titles else list(rows)
        self._widths = [
            max((cell_len(one_line(str(row[at]))) for row in shown), default=0)
            for at in range(len(self._columns))
        ]
        self._longest = max(
            (cell for row in rows for cell in row if isinstance(cell, int)), default=0
        )
        last = self._columns[-1].kind
        end = 0
        if len(self._columns) > 1 and last in {"text", "code"}:
            end = min(self._widths[-1], max(_LEAST_TEXT, int(self._screen.width * _END)))
        elif last == "bar":
            end = _BAR_WIDTH // 2
        middle = self._widths[1:-1] if end else self._widths[1:]
        room = self._screen.width - len(_GAP) * len(self._widths) - sum(middle) - end
        if len(self._columns) > 1:
            self._widths[0] = min(self._widths[0], max(room, _LEAST_NAME))

    def line(self, cells: Sequence[Cell], *, is_title: bool = False) -> Iterator[Text]:
        """A row; what is too long has lines of its own: the name above, the last text below."""
        style = _TONES.get(self._tone, "cyan" if self._columns[0].kind == "code" else "")
        name = Text(one_line(str(cells[0])), style="dim" if is_title else style)
        if len(cells) == 1:
            is_copied = self._columns[0].kind == "code"
            yield from [Text(_GAP) + name] if is_copied else self._screen.wrapped(name, _GAP, _GAP)
            return
        if name.cell_len > self._widths[0]:
            yield from self._screen.wrapped(name, _GAP, _GAP * 2)
            name = Text()
        line = Text(_GAP).append_text(name).append(" " * (self._widths[0] - name.cell_len))
        for cell, column, width in zip(cells[1:], self._columns[1:], self._widths[1:], strict=True):
            if isinstance(cell, int):
                room = min(_BAR_WIDTH, self._screen.width - line.cell_len - len(_GAP))
                line.append(_GAP + _bar(cell, self._longest, room), style="blue")
            elif column is self._columns[-1] and column.kind == "text" and not is_title:
                yield from self._end(line, self._screen.safe(cell if isinstance(cell, str) else ""))
                return
            else:
                text = one_line(str(cell))
                text = f"{text:>{width}}" if column.kind == "number" else f"{text:<{width}}"
                line.append(_GAP + text, "dim" if is_title or column.kind == "code" else "")
        line.rstrip()
        yield self._screen.cropped(line)

    def _end(self, line: Text, text: Text) -> Iterator[Text]:
        room = self._screen.prose_width - line.cell_len - len(_GAP)
        if not text or room < min(_LEAST_TEXT, text.cell_len):
            line.rstrip()
            yield from [self._screen.cropped(line)] if line else []
            yield from self._screen.wrapped(text, _GAP * 3) if text else ()
            return
        lines = self._screen.wrapped(text, " " * (line.cell_len + len(_GAP)))
        yield line.append_text(lines[0][line.cell_len :])
        yield from lines[1:]


def _below(screen: Screen, cell: Cell) -> Iterator[Text]:
    lines = [cell] if isinstance(cell, str) else cell if not isinstance(cell, int) else []
    code = [line for line in lines if isinstance(line, CodeLine)]
    texts = [line for line in lines if isinstance(line, str) and line]
    for text in texts[:_MOST_LINES]:
        yield from screen.wrapped(screen.safe(text), _GAP * 2, _GAP * 3)
    yield from more_line(len(texts) - _MOST_LINES, "", _GAP * 2)
    for line in code[:_MOST_CODE_LINES]:
        place = Text(_GAP * 2).append_text(screen.safe(line.place)).append(_GAP)
        yield screen.cropped(place.append_text(screen.safe(line.code, "dim")))
    if len(code) > _MOST_CODE_LINES:
        yield Text(f"{_GAP * 2}+{count(len(code) - _MOST_CODE_LINES, 'more line')}", style="dim")


def _bar(value: int, longest: int, width: int) -> str:
    """A bar in eighths of a cell; what is not nothing is seen."""
    eighths = max(round(8 * width * value / longest), 1) if value and longest else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
