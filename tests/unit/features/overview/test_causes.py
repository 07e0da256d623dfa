"""Findings by cause, and the lines that name the causes."""

import pytest

from inspector.features.overview.causes import by_cause, cause_lines
from inspector.report.finding import Finding, Place
from inspector.report.severity import Severity
from inspector.run.recompile import Answer, Origin, Recompile, RecompileClass
from inspector.trace.compile_id import CompileId


def a_break(line: int, gb_id: str, records: int = 1) -> Finding:
    place = Place("model.py", line)
    return Finding("graph-break", Severity.WARNING, gb_id, place, gb_id=gb_id, records=records)


def recompiled(function: str, name: str, times: int) -> Finding:
    items = tuple(
        Recompile(
            CompileId(0, number), None, "", "", "", "", name, None, RecompileClass.INT,
            Origin.ATTRIBUTE, None, None, Answer.AGAIN,
        )
        for number in range(1, times + 1)
    )  # fmt: skip
    message = f"{function} recompiled"
    place = Place("model.py", 1)
    return Finding("recompile", Severity.WARNING, message, place, recompiles=items)


def test_breaks_of_a_line_are_one_finding() -> None:
    one, other = by_cause([a_break(3, "GB0291", 4), a_break(5, "GB0007"), a_break(3, "GB0124", 2)])
    assert (one.gb_id, one.records) == ("GB0291", 6)
    assert one.also == ("also at this line: GB0124 GB0124",)
    assert (other.gb_id, other.also) == ("GB0007", ())
    lines = list(cause_lines([one, other], 0))
    assert lines == ["2 lines account for all 7 graph breaks: model.py:3 (6), model.py:5 (1)"]


def test_recompilations_because_of_one_attribute_are_one_finding() -> None:
    found = [recompiled("f", "net.steps", 3), recompiled("g", "self.steps", 2),
             recompiled("f", "size", 1)]  # fmt: skip
    one, other = by_cause(found)
    assert len(one.recompiles) == 5
    assert one.also == ("same cause at model.py:1: g recompiled",)
    (line,) = cause_lines([one, other], 8)
    assert line == "2 causes account for 6 of 8 recompilations: net.steps (5), size (1)"
    assert not list(cause_lines([one, other], 9))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("___stack0", "a value (kept across a graph break)"),
        ("G['seen']", "seen"),
        ("self._modules['layers']._modules['0'].filled", "self.layers[0].filled"),
    ],
)
def test_a_cause_is_spelled_as_the_user_writes_it(name: str, shown: str) -> None:
    (line,) = cause_lines([recompiled("f", name, 3)], 3)
    assert line == f"1 cause accounts for all 3 recompilations: {shown} (3)"
