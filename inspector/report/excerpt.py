"""Which part of an excerpt a finding is about, line by line."""

import dataclasses

from inspector.report.finding import Place

_MOST_MARKED = 8
_KEPT_AT_THE_END = 2


@dataclasses.dataclass(frozen=True, slots=True)
class ExcerptLine:
    """One line of an excerpt, by its number from 1; 0 is a gap in which lines are left out."""

    number: int
    text: str = ""
    marked: tuple[int, int] | None = None  # first and end column, 0-based, of what it is about


def excerpt_lines(place: Place) -> tuple[ExcerptLine, ...]:
    """The excerpt with its marked parts; gaps, and the middle of long expressions, are one line."""
    lines = [
        ExcerptLine(line.number, line.text.rstrip(), _marked(place, line.number, line.text))
        for line in place.excerpt
    ]
    full = [index for index, line in enumerate(lines) if line.text]
    lines = lines[full[0] : full[-1] + 1] if full else []
    marked = [index for index, line in enumerate(lines) if line.marked]
    if len(marked) > _MOST_MARKED:
        lines[marked[_MOST_MARKED - _KEPT_AT_THE_END] : marked[-_KEPT_AT_THE_END]] = []
    found: list[ExcerptLine] = []
    for line in lines:
        if found and line.number > found[-1].number + 1:
            found.append(ExcerptLine(0))
        found.append(line)
    return tuple(found)


def _marked(place: Place, number: int, text: str) -> tuple[int, int] | None:
    last = place.end_line or place.line
    stripped = text.rstrip()
    if not place.line <= number <= last or not stripped:
        return None
    begin, end = len(text) - len(text.lstrip()), len(stripped)
    if place.column is not None and number == place.line:
        begin = place.column
    if place.column is not None and number == last:
        # Without an end, only the first character is known to belong to it.
        end = place.end_column if place.end_column is not None else begin + 1
    if not 0 <= begin < end or begin >= len(stripped):
        return len(text) - len(text.lstrip()), len(stripped)  # columns of another text
    return begin, min(end, len(stripped))
