"""Of an error that a caller catches, advice names the graph break for which that was given up."""

from __future__ import annotations

import dataclasses

from inspector.features.breaks.advice.lookup import advise, compiled_functions
from inspector.report.place import make_place
from inspector.run.compilation import Frame
from inspector.run.graph_break import GraphBreak, Outcome
from inspector.shared.stack import StackFrame
from inspector.trace.graph_break import Cause
from tests.unit.render.runs import MODEL, break_at, compilation, process_of, run_of

PROGRAM = """\
def check(x):
    if x.shape[0] > 3:
        raise TooLong("too long")
    return table["missing"]


def forward(x):
    try:
        print("trying")
        y = check(x)
    except (TooLong, KeyError):
        y = x
    return y
"""
CALL = StackFrame(MODEL, 10, "forward", "y = check(x)")
PRINT = StackFrame(MODEL, 9, "forward", 'print("trying")')


def gave_up(place: StackFrame = PRINT, outcome: Outcome = Outcome.FRAME_SKIPPED) -> GraphBreak:
    title = "Failed to trace builtin operator"
    cause = Cause(title, title, gb_id="GB0059")
    record = break_at(place, cause, stack=(place,))
    return dataclasses.replace(record, frame_name="forward", frame_file=MODEL, outcome=outcome)


def observed(line: int, context: str = "TooLong('too long')") -> GraphBreak:
    place = StackFrame(MODEL, line, "check", PROGRAM.splitlines()[line - 1].strip())
    cause = Cause("Observed exception", "x", context=f"raised exception {context}", gb_id="GB0088")
    record = break_at(place, cause, stack=(CALL, place))
    return dataclasses.replace(record, frame_name="check", frame_file=MODEL)


def fix_of(record: GraphBreak, *others: GraphBreak, program: str = PROGRAM) -> str:
    frames = (
        Frame(0, "forward", MODEL, 7, (compilation(0, *others),)),
        Frame(1, "check", MODEL, 1, (compilation(1, record),)),
    )
    run = run_of(process_of(*frames), source=program)
    return advise(run, record, make_place(run, record.user), compiled_functions(run)).fix


def test_what_gave_up_the_caller_that_catches_it_is_to_be_mended_first() -> None:
    fix = fix_of(observed(3), gave_up())

    assert fix.startswith(
        "Fix model.py:9 first (Failed to trace builtin operator). It keeps Dynamo"
    )
    assert "keeps Dynamo from compiling forward, which calls this" in fix


def test_so_it_is_of_what_an_expression_raises() -> None:
    assert fix_of(observed(4, "KeyError('missing')"), gave_up()).startswith("Fix model.py:9 first")


def test_an_error_that_nothing_catches_is_to_be_raised_by_the_caller() -> None:
    for fix in (
        fix_of(observed(3)),  # nothing says why the caller is not compiled
        fix_of(observed(3), gave_up(outcome=Outcome.RESUMED)),
    ):
        assert fix.startswith("Check the arguments in the caller")
