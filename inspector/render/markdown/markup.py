"""Markdown in which recorded text stays text (GitHub Flavored Markdown, and CommonMark 0.31)."""

import html
import re
from collections.abc import Iterable, Iterator

from inspector.report.code_spans import code_spans
from inspector.report.escaping import escaped, one_line

# All that can begin a construct inside a line; what does so only at its beginning comes last.
_MARKUP = re.compile(
    r"[\\`*\[<|~$]|(?<![^\W_])_|_(?![^\W_])|^>|^(?:[#+-]|\d+[.)])(?=\s)|^(?:=+|-+)$"
)
# GitHub makes a person's or an issue's link of these even where they are escaped.
_MENTION = re.compile(r"[@#](?=\w)")
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_RUNS = re.compile(r"`+")
_LEAST_FENCE = 3
_NOTHING = "<!-- -->"


def prose(text: str) -> str:
    """A sentence on one line; code, in backticks as torch writes it or without, is set as code."""
    parts = _SPAN.split(one_line(text))
    return "".join(
        code(part) if index % 2 else "".join(_sentence(part, begin=not index))
        for index, part in enumerate(parts)
    )


def _sentence(text: str, *, begin: bool) -> Iterator[str]:
    position = 0
    for start, end in code_spans(text):
        if "://" in text[start:end]:
            continue  # an address is left as it is
        yield _plain(text[position:start], begin=begin and not position)
        yield code(text[start:end])
        position = end
    yield _plain(text[position:], begin=begin and not position)


def _plain(text: str, *, begin: bool) -> str:
    # Not at the beginning of a line, a "#" or "1." is no markup.
    marked = _MARKUP.sub(
        lambda match: f"{match[0][:-1]}\\{match[0][-1]}", text if begin else f"\0{text}"
    ).removeprefix("\0")
    marked = marked.replace("&", "&amp;")
    # An address is left as it is: a link that shows where it leads.
    return _MENTION.sub(lambda match: match[0] + _NOTHING, marked)


def code(text: str) -> str:
    """Recorded text as inline code, whatever backticks it has itself."""
    line = one_line(text)
    fence = "`" * (max(map(len, _RUNS.findall(line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{space}{line}{space}{fence}"


def cell(text: str) -> str:
    """A sentence in a cell of a table; `prose` has escaped its bars, but for those in code."""
    return re.sub(r"(?<!\\)\|", r"\\|", prose(text))


def fenced(text: str, language: str = "text") -> Iterator[str]:
    """Recorded lines in a code block that none of them can end."""
    lines = [line.rstrip() for line in escaped(text).rstrip("\n").split("\n")]
    longest = max((len(run) for line in lines for run in _RUNS.findall(line)), default=0)
    fence = "`" * max(_LEAST_FENCE, longest + 1)
    yield f"{fence}{language}"
    yield from lines
    yield fence
    yield ""


def details(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines that are folded away until somebody clicks on their title."""
    yield f"<details><summary>{html.escape(one_line(title), quote=False)}</summary>"
    yield ""
    body = list(lines)
    yield from body
    if body and body[-1]:
        yield ""
    yield "</details>"
    yield ""
