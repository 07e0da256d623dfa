"""The user's code at a graph break."""

import ast

import pytest

from inspector.report.user_code.code import Code, attribute
from inspector.report.user_code.reading import Span, read_line, read_text

TEXT = """\
import torch


class Model:
    def forward(self, x, größe):
        größe = größe + x.sum().item()
        if x.sum() > 0:
            x = x * 2
        elif x.mean() > 1:
            return x
        print(
            "sum", x,
        )
        return x
"""
LINES = TEXT.split("\n")


def at(line: int, part: str, *, end_line: int = 0, end: int = 0) -> Code:
    """The code where a part of a line is."""
    column = LINES[line - 1].index(part)
    return read_text(TEXT, Span(line, end_line or line, column, end or column + len(part)))


def shown(code: Code) -> str:
    return code.shown(code.expression)


def test_the_expression_at_the_columns_is_found() -> None:
    code = at(7, "x.sum() > 0")

    assert shown(code) == "x.sum() > 0"
    assert isinstance(code.statement, ast.If)
    assert code.function is not None
    assert code.function.name == "forward"
    # Columns count characters, and not bytes; an elif is a branch of its own.
    assert shown(at(6, "x.sum().item()")) == "x.sum().item()"
    assert shown(at(9, "x.mean() > 1")) == "x.mean() > 1"
    over_lines = at(11, "print(", end_line=13, end=9)
    assert shown(over_lines) == "print('sum', x)"
    assert over_lines.call is over_lines.expression


def test_columns_that_are_no_expression_give_the_statement_alone() -> None:
    code = at(6, "sum().item")

    assert code.expression is None
    assert isinstance(code.statement, ast.Assign)
    assert code.has(attribute("item"))


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        ("    if x.sum() > 0:", 7, "x.sum() > 0"),
        ("    elif x.sum() > 0:", 9, "x.sum() > 0"),
        ("while x.sum() > 0:", 6, "x.sum() > 0"),
        ("y = x.item() + 1", 4, "x.item()"),
    ],
)
def test_one_line_is_enough(line: str, column: int, expected: str) -> None:
    code = read_line(line, Span(40, 40, column, column + len(expected)))

    assert shown(code) == expected
    assert code.function is None


@pytest.mark.parametrize("line", ["", "x = (", "\0", "else:", "elif"])
def test_a_line_that_is_no_statement_gives_nothing(line: str) -> None:
    assert read_line(line, Span(40, 40, 0, 3)).statement is None


@pytest.mark.parametrize("span", [Span(99, 99, 0, 1), Span(0, 0), Span(3, 3, 0, 0), Span(5, 99)])
def test_a_place_outside_of_the_code_gives_nothing(span: Span) -> None:
    assert read_text(TEXT, span).statement is None


def test_long_code_is_not_shown() -> None:
    line = f"y = {' + '.join(['tensor'] * 20)}"
    code = read_line(line, Span(1, 1, 4, len(line)))

    assert code.expression is not None
    assert shown(code) == ""


@pytest.mark.parametrize(
    "text", [f"y = x{'.a' * 9000}\n", f"y = {'-' * 9000}x\n", "y = '\udc80'\n"]
)
def test_code_that_nests_deeply_or_is_no_text_is_survived(text: str) -> None:
    code = read_text(text, Span(1, 1))

    assert code.shown(code.find(lambda node: not isinstance(node, ast.Name))) == ""
