"""Functions that are compiled on their own because of a graph break, in them or in a caller."""

from __future__ import annotations

import dataclasses

from inspector.features.recompiles.nearby_breaks import given_up_caller
from inspector.run.compilation import Frame
from inspector.run.graph_break import GraphBreak, Outcome
from inspector.shared.stack import StackFrame
from tests.unit.render.runs import IN_FORWARD, MODEL, PRINT, break_at, compilation, process_of

SHARED = StackFrame(MODEL, 9, "helper")
STACK = (dataclasses.replace(IN_FORWARD, line=12), StackFrame("/site/t.py", 1, "call"), SHARED)
HELPER = Frame(1, "helper", MODEL, 9, (compilation(1),))


def found(*records: GraphBreak, graphs: int = 0) -> GraphBreak | None:
    caller = compilation(0, *records, graphs=graphs, has_guarded_code=bool(graphs))
    forward = Frame(0, "forward", MODEL, 13, (caller,))
    return given_up_caller(process_of(forward, HELPER), HELPER, STACK)


def test_the_break_that_gave_up_the_caller_is_the_cause() -> None:
    record = break_at(IN_FORWARD, PRINT, outcome=Outcome.FRAME_SKIPPED)

    assert found(record) == record


def test_a_caller_that_is_compiled_is_none() -> None:
    assert found(break_at(IN_FORWARD, PRINT), graphs=1) is None
    assert found() is None
    assert given_up_caller(process_of(HELPER), HELPER, STACK) is None


def test_a_break_within_the_function_has_the_caller_call_it() -> None:
    inside = dataclasses.replace(SHARED, line=10)
    record = break_at(inside, PRINT, outcome=Outcome.RESUMED, stack=(IN_FORWARD, inside))

    assert found(record, graphs=1) == record
    assert found(dataclasses.replace(record, caused_by=(MODEL, 1, "x")), graphs=1) is None
