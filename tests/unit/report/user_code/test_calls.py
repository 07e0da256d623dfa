"""What a caller passes, by the text of its line."""

import ast

import pytest

from inspector.report.user_code.call_site import CallSite
from inspector.report.user_code.calls import called_on, parameters_of
from inspector.shared.stack import StackFrame

FILE = """\
class Net:
    def forward(self, x, *rest, mask=None, **more):
        return x

    def step(self, n):
        net(torch.randn(n, 3))

f = lambda a: a; g = lambda b: b
out.append(net(x.t(), y)); print(net)
net.forward(batch["x"], mask=items[0])
net(*data)
net(**batch)
net(a, b, c, key=d)
net(self.cache, rows[:2])
"""
FORWARD = parameters_of(FILE, 2, "forward")


def site(line: int, column: int | None = None, end: int | None = None) -> CallSite:
    frame = StackFrame("model.py", line, "main", "", line, column, end)
    return CallSite(frame, called_on(FILE, frame, "forward"), FORWARD)


@pytest.mark.parametrize(
    ("line", "name", "text", "has_name"),
    [
        (10, "x", "batch['x']", True),
        (10, "mask", "items[0]", False),
        (10, "self", "net", True),
        (11, "x", "data[0]", True),
        (11, "rest[1]", "data[2]", True),
        (12, "mask", "batch['mask']", True),
        (13, "rest[1]", "c", True),
        (13, "more['key']", "d", True),
        (14, "x", "self.cache", True),
        (14, "rest[0]", "rows[:2]", False),
    ],
)
def test_what_is_passed(line: int, name: str, text: str, *, has_name: bool) -> None:
    passed = site(line).passed(name)

    assert (passed.text, passed.has_name) == (text, has_name)


def test_of_several_calls_on_a_line_the_one_that_was_made_counts() -> None:
    line = FILE.split("\n")[8]
    inner = "net(x.t(), y)"
    begin = line.index(inner)

    assert site(9).call is None
    assert site(9, begin, begin + len(inner)).passed("x").text == "x.t()"
    assert site(9, begin, begin + 3).call is None


def test_names_of_the_line_are_not_what_is_passed() -> None:
    passed = site(6, 8, 30).passed("x")

    assert (passed.text, passed.whole) == ("torch.randn(n, 3)", "")
    assert isinstance(site(6, 8, 30).call, ast.Call)


LOOP = """
def f(x, input, y):
    return x

def caller(x):
    rows = x > 0
    f(x[rows], x[0], 1)

f(torch.ones(3), 1, 2)
"""
