"""A page as one HTML element for the output cell of a notebook: no scripts, its own styles."""

import html
import re
from collections.abc import Iterator, Sequence

from inspector.features.overview.cost_wording import finding_cost_lines
from inspector.report.code_spans import code_spans
from inspector.report.escaping import escaped, one_line
from inspector.report.excerpt import excerpt_lines
from inspector.report.finding import Finding
from inspector.report.page import (
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
from inspector.report.wording import advice, kind, location, paragraphs, title

_MOST_ROWS = 50
_QUOTED = re.compile(r"(`[^`]+`)")
# Every rule is below the element's own class, and no element outside of it has one of ours. Colours
# are the notebook's, or stand out on light and on dark.
_STYLE = """
.torch-inspector{font-size:13px;line-height:1.45;max-width:960px}
.torch-inspector h3{font-size:15px;margin:4px 0 6px}
.torch-inspector h4{font-size:13px;margin:12px 0 4px}
.torch-inspector p,.torch-inspector ul{margin:3px 0}
.torch-inspector ul{padding-left:18px}
.torch-inspector code,.torch-inspector pre{font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace;
font-size:12px;background:none;color:inherit;padding:0}
.torch-inspector pre{overflow-x:auto;margin:4px 0;padding:6px 8px;
background:rgba(128,128,128,.1)}
.torch-inspector .quiet{opacity:.7}
.torch-inspector .finding{border-left:3px solid #c05621;padding:1px 0 1px 10px;margin:8px 0}
.torch-inspector .error{border-color:#c53030}.torch-inspector .info{border-color:#3182ce}
.torch-inspector mark{background:rgba(236,178,44,.35);color:inherit}
.torch-inspector .scroll{overflow-x:auto}
.torch-inspector table{border-collapse:collapse;margin:4px 0;font-size:12px}
.torch-inspector td,.torch-inspector th{text-align:left;vertical-align:top;padding:2px 10px 2px 0;
border-bottom:1px solid rgba(128,128,128,.25);background:none}
.torch-inspector .num{text-align:right}
.torch-inspector summary{cursor:pointer}
"""


def fragment(page: Page) -> str:
    """The page as one element; recorded text is escaped."""
    return "".join(_page(page))


def _page(page: Page) -> Iterator[str]:
    style = _STYLE.replace("\n", "")
    yield f'<div class="torch-inspector"><style>{style}</style><h3>{_prose(page.headline)}</h3>'
    about = page.about
    yield from (f'<p class="quiet">{_prose(line)}</p>' for line in about.context)
    yield from (f"<p>{_prose(line)}</p>" for line in (*about.warnings, about.error) if line)
    yield from (f"<p>{_prose(line)}</p>" for line in page.summary)
    for finding in page.findings:
        yield from _finding(finding)
    for section in page.sections:
        yield from _section(section)
    yield from (f'<p class="quiet">{label}: {_prose(text)}</p>' for label, text in page.notes)
    yield "</div>"


def _finding(finding: Finding) -> Iterator[str]:
    place = finding.place
    function = f" in <code>{_text(place.function)}</code>" if place.function else ""
    yield f'<div class="finding {finding.severity.value}"><b>{_prose(title(finding))}</b>'
    yield f'<p class="quiet">{_text(kind(finding))} · {_text(location(place))}{function}</p>'
    if lines := "\n".join(_source(finding)):
        yield f"<pre>{lines}</pre>"
    costs = finding_cost_lines(finding)
    yield from (f"<p><b>Cost:</b> {_prose(costs[0])}</p>" for _ in costs[:1])
    texts = advice(finding)
    for label, text in zip(("Fix", *("Or" for _ in texts[1:])), texts, strict=False):
        yield f"<p><b>{label}:</b> {_prose(text)}</p>"
    if finding.why and finding.why != finding.message:
        yield "<details><summary>Why</summary>"
        for item in paragraphs(finding.why):
            yield f"<pre>{_text(item.text)}</pre>" if item.code else f"<p>{_prose(item.text)}</p>"
        yield "</details>"
    yield "</div>"


def _source(finding: Finding) -> Iterator[str]:
    lines = excerpt_lines(finding.place)
    width = max((len(str(line.number)) for line in lines), default=0)
    for line in lines:
        first, last = line.marked or (len(line.text), len(line.text))
        parts = (line.text[:first], line.text[first:last], line.text[last:])
        before, marked, after = (_text(part, is_line=False) for part in parts)
        number = f"{line.number or '…':>{width}}"
        marked = f"<mark>{marked}</mark>" if marked else ""
        yield f'<span class="quiet">{number}</span>  {before}{marked}{after}'


def _section(section: Section) -> Iterator[str]:
    body = "".join(part for block in section.blocks for part in _block(block))
    if not body:
        return
    if section.is_detail:
        yield f"<details><summary>{_prose(section.title)}</summary>{body}</details>"
    else:
        yield f"<h4>{_prose(section.title)}</h4>{body}" if section.title else body


def _block(block: Block) -> Iterator[str]:
    match block:
        case Lines(lines=lines):
            yield from (f"<p>{_prose(line)}</p>" for line in lines)
        case Items(head=head, items=items):
            yield f"<p>{_prose(head)}</p><ul>"
            yield from (f"<li>{_prose(item)}</li>" for item in items)
            yield "</ul>"
        case Table():
            yield from _table(block)
        case Code(text=text):
            yield f"<pre>{_text(text, is_line=False)}</pre>"
        case Fold(title=name, blocks=blocks):
            body = "".join(part for inner in blocks for part in _block(inner))
            yield f"<details><summary>{_prose(name)}</summary>{body}</details>" if body else ""


def _table(table: Table) -> Iterator[str]:
    columns = [
        (index, column)
        for index, column in enumerate(table.columns)
        if column.kind != "bar" and (index == 0 or any(row[index] for row in table.rows))
    ]
    if not table.rows:
        return
    yield '<div class="scroll"><table><tr>'
    yield from (f"<th{_class(column)}>{_text(column.title)}</th>" for _, column in columns)
    for row in table.rows[:_MOST_ROWS]:
        yield "</tr><tr>"
        yield from (f"<td{_class(item)}>{_cell(row[index], item)}</td>" for index, item in columns)
    yield "</tr></table></div>"
    if len(table.rows) > _MOST_ROWS:
        yield f'<p class="quiet">… {len(table.rows) - _MOST_ROWS:,} more</p>'


def _class(column: Column) -> str:
    return ' class="num"' if column.kind == "number" else ""


def _cell(value: Cell, column: Column) -> str:
    if isinstance(value, str):
        return f"<code>{_text(value)}</code>" if column.kind == "code" else _prose(value)
    parts: Sequence[str | CodeLine] = () if isinstance(value, int) else value
    return "<br>".join(
        _prose(part)
        if isinstance(part, str)
        else f"{_text(part.place)} <code>{_text(part.code)}</code>"
        for part in parts
    )


def _prose(text: str) -> str:
    """A sentence, with its code set as code."""
    pieces = []
    for part in _QUOTED.split(one_line(text)):
        if part.startswith("`") and part.endswith("`") and len(part) > 2:  # noqa: PLR2004
            pieces.append(f"<code>{html.escape(part[1:-1])}</code>")
            continue
        end = 0
        for start, stop in code_spans(part):
            pieces.append(html.escape(part[end:start]))
            pieces.append(f"<code>{html.escape(part[start:stop])}</code>")
            end = stop
        pieces.append(html.escape(part[end:]))
    return "".join(pieces)


def _text(text: str, *, is_line: bool = True) -> str:
    return html.escape(one_line(text) if is_line else escaped(text))
