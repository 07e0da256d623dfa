"""The part of a branch that is marked: the condition, and nothing of the statements in it."""

import pytest

from inspector.report.place import condition_span

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
