"""The line at which a function itself sets what it is compiled for."""

from __future__ import annotations

import ast
import dataclasses

import pytest

from inspector.features.recompiles.own_writes import own_growth, written_line
from inspector.run.source import Sources
from inspector.shared.stack import StackFrame
from tests.unit.render import runs

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


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("self.history['k']", 'self.history[f"{k}"].append(x)'),
        ("self.history", "self.history += [x]"),
        ("self.history", "self.history = self.history + [x]"),
        ("self.history", "self.history = [*self.history, x]"),
        ("self.meter.history['k'][0]", "self.meter.history.setdefault(k, []).append(x)"),
        ("self.net.history", "self.history.extendleft(x)"),
        ("history", "history.insert(0, x)"),
        ("self.history['k']", "found = self.history[k]; found.append(x)"),
        ("self.history", ""),
        ("self.history", "self.other.append(x)"),
        ("self.history", "x = self.history[0]; x += 1"),
        ("self.history", "x = x * self.history[0]"),
    ],
)
def test_where_a_function_makes_a_container_longer(name: str, line: str) -> None:
    text = f"def forward(self, x, k):\n    y = 1\n    {line or 'pass'}\n    return y\n"
    sources = Sources({"/m.py": dict(enumerate(text.split("\n"), 1))}, frozenset({"/m.py"}))
    run = dataclasses.replace(runs.broken(), sources=sources)
    at = own_growth(run, StackFrame("/m.py", 2, "forward"), name)

    is_longer = line and "other" not in line and not line.startswith("x = ")
    assert (at.line if at else None) == (3 if is_longer else None)
