"""A page: fixed slots, and sections of blocks. A renderer of pages renders every report."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from inspector.report.finding import Finding
from inspector.report.overview import recording_line
from inspector.report.wording import failure
from inspector.run.ended import further_endings
from inspector.run.run import Run


@dataclasses.dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of source code and where it is; formats without room for the code show the place."""

    place: str
    code: str


Cell: TypeAlias = str | int | Sequence[str | CodeLine]
"""Text, lines of text or code, or the length of a bar."""


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its title; a terminal shows titles if more than the first column has one.
        kind: ``number`` is aligned to the right; ``code`` is cut off where it is too long; what is
            ``below`` follows its row on lines of its own, if a format has narrow pages, and so does
            what is ``detail``, which a short page has not.
    """

    title: str
    kind: Literal["text", "number", "code", "below", "detail", "bar"] = "text"


@dataclasses.dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, each on its own."""

    lines: Sequence[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Items:
    """A list under a head."""

    head: str
    items: Sequence[str]
    limit: int = 8  # items that a short page has


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, one for each column; columns without any text are left out."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    noun: str = "row"  # for "8 more rows"
    limit: int = 8  # rows that a short page has
    tone: Literal["", "new", "gone", "changed"] = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Code:
    """Source code, or a diff, as it is."""

    text: str
    language: str = "text"


@dataclasses.dataclass(frozen=True, slots=True)
class Fold:
    """What is shown on request: a click, or ``-v`` on a terminal, which has no room for code."""

    title: str
    blocks: Sequence[Block]


Block: TypeAlias = Lines | Items | Table | Code | Fold


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a title; it is left out if they have no content."""

    title: str
    blocks: Sequence[Block]
    is_detail: bool = False  # which a short page only names


@dataclasses.dataclass(frozen=True, slots=True)
class About:
    """What a page is about.

    Attributes:
        context: Which recording it is, and how it was made; parts between `` · ``.
        warnings: What else of the program failed, and what the recording lacks.
        error: The program's exception, with what failed before it.
    """

    target: str = ""
    context: Sequence[str] = ()
    warnings: Sequence[str] = ()
    error: str = ""
    traceback: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """A report, for people.

    Attributes:
        kind: What the report is on, for its title.
        headline: The answer in one sentence; a page without one is its blocks alone.
        notes: Their label (``note``, ``warning``, ``problem``), and the sentence.
        is_whole: Whether it is shown with all details and rows.
    """

    kind: str
    headline: str
    about: About = About()
    summary: Sequence[str] = ()
    findings: Sequence[Finding] = ()
    sections: Sequence[Section] = ()
    notes: Sequence[tuple[str, str]] = ()
    next_steps: Sequence[str] = ()
    is_whole: bool = False


def about(run: Run) -> About:
    """What a page about one run begins with."""
    meta = run.meta
    partial = meta.partial.rstrip(".")
    return About(
        meta.target,
        (" · ".join(recording_line(run)),),
        (*([f"partial recording: {partial}"] if partial else []), *further_endings(run)),
        f"{failure(meta)}: {meta.error}" if meta.error else "",
        meta.error_detail.strip("\n"),
    )


def as_notes(sentences: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Sentences as notes; those that begin with another label have that one."""
    parts = ((*sentence.partition(": "), sentence) for sentence in sentences)
    return tuple(
        (label, text) if label in {"warning", "problem"} else ("note", sentence)
        for label, _, text, sentence in parts
    )
