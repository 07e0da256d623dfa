"""The page on one kernel."""

from __future__ import annotations

from inspector.features.profile.kernel_bench.report import KernelBenchReport
from inspector.features.profile.kernel_bench.wording import (
    argument_texts,
    time_lines,
    title,
    verdict_lines,
)
from inspector.report.file_names import line_texts, short_names
from inspector.report.page import Column, Page, Section, Table, about, as_notes

_MOST_ARGUMENTS = 12
_MOST_LINES = 3


def page(report: KernelBenchReport) -> Page:
    """What it takes of a call, and alone."""
    lines = report.in_place.work.lines if report.in_place is not None else ()
    places = line_texts(lines, short_names(line.file for line in lines))
    times = (Column(""), Column("time", "number"), Column(""))
    arguments = (Column("argument", "code"), Column(""))
    own = (Column("line", "code"), Column("source", "code"))
    return Page(
        "Kernel",
        title(report),
        about(report.run),
        summary=list(verdict_lines(report)),
        sections=(
            Section("Lines", [Table(own, places, "line", _MOST_LINES)]),
            Section("Alone and in the model", [Table(times, list(time_lines(report)))]),
            Section(
                "With the arguments of the model's call",
                [Table(arguments, list(argument_texts(report)), "argument", _MOST_ARGUMENTS)],
            ),
        ),
        notes=as_notes(report.notices),
        next_steps=report.next_steps,
    )
