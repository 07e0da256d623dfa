"""Of an exception that passes a ``finally``, advice says where it comes from."""

from __future__ import annotations

import pytest

from inspector.features.breaks.advice.lookup import advise, tried_functions
from inspector.report.place import make_place
from inspector.run.compilation import Frame
from inspector.run.graph_break import GraphBreak
from inspector.shared.stack import StackFrame
from inspector.trace.graph_break import Cause
from tests.unit.render.runs import MODEL, break_at, compilation, process_of, run_of

PROGRAM = """\
def forward(self, x):
    try:
        try:
            x = x * 2
            x = self.look(x)
        finally:
            x = x + 1
        y = x.sin()
    finally:
        self.calls += 1
    return x


def look(self, x):
    return x * self.table["missing"]
"""
MISSING = "raised exception KeyError('missing')"


CALL = StackFrame(MODEL, 5, "forward", "x = self.look(x)")


def observed(line: int, context: str = MISSING, caller: StackFrame = CALL) -> GraphBreak:
    """A record of an exception that nothing catches, at a line of the program."""
    code = PROGRAM.splitlines()[line - 1].strip()
    cause = Cause("Observed exception", "x", context=context, gb_id="GB0088")
    place = StackFrame(MODEL, line, "forward", code)
    return break_at(place, cause, stack=(caller, place))


def fix_of(record: GraphBreak, *others: GraphBreak) -> str:
    frame = Frame(0, "forward", MODEL, 1, (compilation(0, record, *others),))
    run = run_of(process_of(frame), source=PROGRAM)
    return advise(run, record, make_place(run, record.user), tried_functions(run)).fix


def test_the_line_that_raises_is_known_by_its_own_record() -> None:
    assert fix_of(observed(7), observed(15)).startswith("Fix model.py:15, which raises it:")


def test_an_equal_exception_of_other_code_is_another_one() -> None:
    elsewhere = StackFrame(MODEL, 11, "forward", "return x")
    assert "Look into the `try`" in fix_of(observed(7), observed(15, caller=elsewhere))


def test_without_such_a_record_it_is_what_the_innermost_tries() -> None:
    assert "the `try` (lines 4 to 5), where KeyError('missing') is raised" in fix_of(observed(7))


def test_what_may_raise_itself_is_not_said_to_let_it_pass_alone() -> None:
    assert "is raised here, or in the `try` (lines 3 to 8)" in fix_of(observed(10))


@pytest.mark.parametrize("line", [4, 8])
def test_a_line_elsewhere_is_not_said_to_let_it_pass(line: int) -> None:
    assert "lets it pass" not in fix_of(observed(line), observed(15))


def test_another_exception_has_another_origin() -> None:
    fix = fix_of(observed(7), observed(15, "raised exception KeyError('other')"))
    assert "Look into the `try`" in fix
