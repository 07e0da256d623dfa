"""Marks on a tensor of which another one is made."""

from __future__ import annotations

import dataclasses

from inspector.findings.lost_marks import lost_mark
from inspector.model.run import Run
from inspector.model.source import Sources
from inspector.model.stack import StackFrame
from tests.unit.renderers import runs

FILE = """\
def train(a, c):
    torch._dynamo.mark_dynamic(a, 0)
    b = a.to("cuda")
    f(a)
    f(b)
    f(a.clone())
    f(c.clone())

def evaluate(a):
    f(a.clone())
"""


def run() -> Run:
    lines = dict(enumerate(FILE.split("\n"), 1))
    sources = Sources({"/p/train.py": lines}, frozenset({"/p/train.py"}))
    return dataclasses.replace(runs.run_of(), sources=sources)


def lost(line: int, passed: str) -> tuple[str, int, str, bool] | None:
    found = lost_mark(run(), StackFrame("/p/train.py", line, "train"), passed, "x")
    return found and (found.text, found.line, found.result, found.needs_name)


def test_the_marked_tensor_keeps_its_mark() -> None:
    assert lost(4, "a") is None


def test_what_is_made_of_it_has_none() -> None:
    assert lost(5, "b") == ("a.to('cuda')", 3, "b", False)
    assert lost(6, "a.clone()") == ("a.clone()", 6, "x", True)


def test_another_tensor_never_had_one() -> None:
    assert lost(7, "c.clone()") is None


def test_a_mark_in_another_function_is_no_mark() -> None:
    assert lost(10, "a.clone()") is None
