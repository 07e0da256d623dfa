"""The line at which a function itself sets what it is compiled for."""

from __future__ import annotations

import ast

import pytest

from inspector.findings.own_writes import written_line

TEXT = """
def forward(self, x, kind):
    global calls
    nonlocal n
    local = 1
    calls += 1
    for n in range(3):
        x = x * n
    self.step = self.step + 1
    state["mode"], (self.tag, *self.rest) = f(x)

    def inner():
        self.hidden = 2
    if (self.flag == 1):
        self.layers[0].scale: float = 2.0
    return x
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("calls", 6), ("n", 7), ("self.step", 9), ("state['mode']", 10), ("self.tag", 10),
        ("self.rest", 10), ("self.layers[0].scale", 15), ("local", None), ("x", None),
        ("self.hidden", None), ("self.flag", None), ("kind", None), ("(kept over a break)", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_line_that_sets_it(name: str, line: int | None) -> None:
    (function,) = ast.parse(TEXT).body
    assert isinstance(function, ast.FunctionDef)
    assert written_line(function, name) == line


def test_a_lambda_sets_nothing() -> None:
    (statement,) = ast.parse("f = lambda x: x + 1").body
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.value, ast.Lambda)
    assert written_line(statement.value, "x") is None
