"""What is filled in behind a length depends on what is done with the slice."""

from __future__ import annotations

import ast
import re

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_line


def fix(line: str) -> str:
    """The fix for a line, and the general one as an empty text."""
    code = read_line(line, Span(1, 1))
    advice = best(Break("GB0124", None, "", code))
    assert advice is not None
    assert advice.id == "tensor-as-length"
    said = advice.fix_for(code)
    for part in re.findall(r"`([^`]+)`", said):
        ast.parse(part)
    return "" if said == advice.fix else said


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("o.append(row[:l].mean(0))", ".sum() / n`"),
        ("y = torch.mean(x[:n])", ".sum() / n`"),
        ("y = x[:n].max()", "x.masked_fill(beyond, float('-inf'))`"),
        ("y = x[:n].amin(0)", "x.masked_fill(beyond, float('inf'))`"),
        ("y = F.softmax(x[:n], dim=0)", "x.masked_fill(beyond, float('-inf'))`"),
        ("return x[:n].prod()", "x.masked_fill(beyond, 1)`"),
        ("y = x[:n].std()", "/ (n - 1)).sqrt()`"),
        ("y = x[:n].var()", "/ (n - 1))`"),
        ("y = x[:n].median()", "Pass the length as a Python int"),
    ],
)
def test_what_is_filled_in_changes_nothing(line: str, expected: str) -> None:
    assert expected in fix(line)


@pytest.mark.parametrize("line", ["y = x[:n].sum()", "y = x[:n]", "y = f(x[:n])"])
def test_zeros_are_advised_where_they_may_be_right_and_with_what_they_need(line: str) -> None:
    assert fix(line) == ""
