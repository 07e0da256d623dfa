"""The part of a branch that is marked: the condition, and nothing of the statements in it."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.report.excerpt import excerpt_lines
from inspector.report.place import condition_span, make_place
from inspector.run.source import Sources
from tests.unit.render.runs import AT_BRANCH, MODEL, run_of

TEXT = """\
def forward(x):
    if torch.isfinite(
        x
    ).all():
        x = x + 1
    elif x.any():
        x = é(x) if x else 1
    while x.all(): x = x + 1
    if (
        x.any()):
        return x
"""


@pytest.mark.parametrize(
    ("line", "column", "span"),
    [
        (2, 4, (7, 4, 11)),
        (4, 4, (4, 4, 11)),  # the line of the method, with the columns of the statement
        (6, 4, (9, 6, 16)),
        (8, 4, (10, 8, 17)),
        (9, 4, (4, 10, 15)),
        (2, 7, None),
        (5, 8, None),
        (99, 0, None),
    ],
)
def test_a_branch_is_its_condition(
    line: int, column: int, span: tuple[int, int, int] | None
) -> None:
    assert condition_span(TEXT, line, column) == span


def test_the_end_of_the_last_line_is_no_column_of_the_first_one() -> None:
    lines = dict(enumerate(TEXT.splitlines(), 1))
    run = dataclasses.replace(
        run_of(), sources=Sources(lines={MODEL: lines}, whole=frozenset({MODEL}))
    )
    frame = dataclasses.replace(AT_BRANCH, line=2, end_line=None, column=4, end_column=17)
    marked = {
        line.number: line.text[slice(*line.marked)]
        for line in excerpt_lines(make_place(run, frame))
        if line.marked
    }

    assert marked == {2: "torch.isfinite(", 3: "x", 4: ").all()"}
