"""Changes of a file as data: what is replaced, and that every other line keeps its number."""

import dataclasses

import pytest

from inspector.shared.edit import Edit, Rewrite, edited

TEXT = "a = 1\nif a:\n    b = f(\n        a)  # why\nü = g(a) + a\n"


def edit(line: int, column: int, old: str, new: str, *, is_statement: bool = False) -> Edit:
    """A change of what stands at a place."""
    *_, last = lines = old.split("\n")
    end = len(last.encode()) + (column if len(lines) == 1 else 0)
    return Edit(line, column, line + len(lines) - 1, end, old, new, is_statement)


def test_columns_count_bytes() -> None:
    assert edited(TEXT, [edit(5, 5, "g(a)", "é")]).splitlines()[4] == "ü = é + a"


def test_a_statement_over_several_lines_leaves_the_others_where_they_are() -> None:
    branch = "if a:\n    b = f(\n        a)"
    made = edited(TEXT, [edit(2, 0, branch, "b = a", is_statement=True)])
    assert made == "a = 1\nb = a\n\n  # why\nü = g(a) + a\n"


def test_an_expression_over_several_lines_is_one_still() -> None:
    made = edited(TEXT, [edit(3, 8, "f(\n        a)", "a")])
    assert made.splitlines()[2:4] == ["    b = (a", ")  # why"]
    compile(made, "made", "exec")


def test_several_of_a_line_and_equal_ones_once() -> None:
    first, second = edit(5, 5, "g(a)", "h(a, a)"), edit(5, 12, "a", "bc")
    assert edited(TEXT, [first, second, first]).splitlines()[4] == "ü = h(a, a) + bc"


@pytest.mark.parametrize(
    ("edits", "problem"),
    [
        ([edit(1, 0, "b = 1", "c")], "line 1 has changed"),
        ([edit(9, 0, "b", "c")], "the file has no line 9"),
        ([edit(1, 0, "a = 1", "c"), edit(1, 4, "1", "2")], "overlap"),
    ],
)
def test_what_cannot_be_made(edits: list[Edit], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        edited(TEXT, edits)


def test_a_rewrite_is_shown_on_one_line() -> None:
    number = edit(1, 4, "1", "2")
    left_out = edit(2, 0, "if a: b", "pass", is_statement=True)
    branch = edit(3, 0, "return a", "return  torch.where(\n    a)", is_statement=True)
    rewrite = Rewrite("branch-where", "model.py", 3, (number, left_out, branch))
    assert rewrite.shown == "2 instead of 1; return torch.where( a)"
    assert rewrite.in_sentence == "`2` instead of `1`; `return torch.where( a)`"
    assert rewrite.place == "model.py:3"
    assert dataclasses.replace(rewrite, edits=(left_out,)).shown == "pass"
