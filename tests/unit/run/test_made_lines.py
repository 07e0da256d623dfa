"""What is said of lines that make layers."""

import pytest

from inspector.run.kernel import NodeLine, weighed_lines
from inspector.shared.stack import StackFrame, made_class, making_name, plain_name

RUNS = StackFrame("/p/model.py", 20, "forward")
MAKES = StackFrame("/p/model.py", 5, making_name("build", "Linear"))


@pytest.mark.parametrize("kind", ["Linear", "Lin[int]", "my-Linear", "\u00dcber", "A (makes B)"])
@pytest.mark.parametrize("function", ["build", "<module>", "<lambda>", "Net.<locals>.make"])
def test_names_come_back_whatever_they_are(function: str, kind: str) -> None:
    name = making_name(function, kind)
    assert (plain_name(name), made_class(name)) == (function, kind)


def test_a_line_has_all_that_it_makes_and_the_heaviest_comes_first() -> None:
    also = StackFrame("/p/model.py", 5, making_name("build", "GELU"))
    makes, runs, more = (NodeLine("h").at(frame) for frame in (MAKES, RUNS, also))
    lines = weighed_lines([(makes, 0.2), (NodeLine("h"), 1.0), (runs, 0.5), (more, 0.2)])
    assert [(line.line, line.makes) for line in lines] == [(20, ()), (5, ("Linear", "GELU"))]
    assert [line.line for line in weighed_lines([(makes, 0.4), (runs, 0.5), (more, 0.2)])] == [
        5,
        20,
    ]
