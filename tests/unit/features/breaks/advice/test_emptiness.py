"""When a step on nothing may be done instead of left out."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_text

SKIPPED = """
def forward(self, x, expert):
    for n, layer in enumerate(self.layers):
        rows = torch.where(expert == n)[0]
        STEP
        x = x.index_add(0, rows, layer(x[rows]))
    return x
"""
VISITED = """
def forward(self, x, chosen):
    rows = chosen.sum(1).nonzero()
    for n in rows:
        STEP
    return x
"""


def advised(program: str, step: str) -> str:
    """The id of the best advice on the line with ``rows =``."""
    text = program.replace("        STEP", textwrap.indent(step, " " * 8))
    line = next(n for n, each in enumerate(text.split("\n"), 1) if "rows =" in each)
    code = read_text(text, Span(line, line))
    found = Break("GB0036", "Dynamic shape operator", "aten.nonzero.default", code)
    advice = best(found)
    assert advice is not None
    return advice.id


@pytest.mark.parametrize(
    "test", ["rows.numel() == 0", "len(rows) == 0", "not len(rows)", "rows.shape[0] < 1"]
)
def test_a_branch_on_whether_there_is_anything_may_go(test: str) -> None:
    assert advised(SKIPPED, f"if {test}:\n    continue") == "empty-selection"


@pytest.mark.parametrize(
    "step",
    [
        "if rows.numel() > 8:\n    continue",
        "if rows.numel() == 0:\n    self.unused += 1\n    continue",
        "if rows.numel() == 0:\n    return x",
        "if rows.numel():\n    x = x + 1\nelse:\n    x = x - 1",
        "if len(rows) > 0:\n    break",
        "if rows.numel() == 0:\n    continue\nfor row in rows:\n    x = x + row",
        "x = x + 1",
    ],
)
def test_what_else_is_decided_stays(step: str) -> None:
    assert advised(SKIPPED, step) == "nonzero"


SELECTED = "rows_of = torch.where(chosen[n])[0]\nx = x.index_add(0, rows_of, x[rows_of])"


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (SELECTED, "loop-over-hits"),
        (f"if n == self.last:\n    continue\n{SELECTED}", "loop-over-hits"),
        (f"if len(x) == 0:\n    continue\n{SELECTED}", "loop-over-hits"),
        ("x[n] = x[n] + 1", "nonzero"),  # a step for one that is not hit would do something
        (f"{SELECTED}\nif rows_of.numel() > 2:\n    x = x + 1", "nonzero"),
    ],
)
def test_a_loop_over_what_is_hit_becomes_one_over_all(step: str, name: str) -> None:
    assert advised(VISITED, step) == name
