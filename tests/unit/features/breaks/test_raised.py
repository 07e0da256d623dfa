"""What was raised is told as Python shows it, as torch 2.11 to 2.13 word it."""

from __future__ import annotations

import pytest

from inspector.features.breaks.hints import raised
from inspector.trace.graph_break import Cause


@pytest.mark.parametrize(
    ("context", "shown"),
    [
        (
            "raised exception TypeError(\"'NoneType' object is not subscriptable\")",
            "TypeError(\"'NoneType' object is not subscriptable\")",
        ),
        ("raised exception KeyError('missing')", "KeyError('missing')"),
        ("raised exception K(1, 'b')", "K(1, 'b')"),
        ("raised exception StopIteration()", "StopIteration()"),
        ("raised exception a.b.Lost('x\ny')\n", "a.b.Lost('x\ny')"),
        # Torch 2.11.
        (
            "raised exception AssertionError([ConstantVariable(str: 'need 1')])",
            "AssertionError('need 1')",
        ),
        ("raised exception StopIteration([])", "StopIteration()"),
        ("raised exception K(())", "K()"),
        ("raised exception ValueError([TensorVariable()])", "ValueError()"),
        ("raised exception K([ConstantVariable(int: 1), TensorVariable()])", "K()"),
        ("raised exception of another form", ""),
        ("", ""),
    ],
)
def test_the_exception(context: str, shown: str) -> None:
    assert raised(cause(context)) == shown


def test_of_other_breaks_nothing_is_said() -> None:
    assert raised(cause("raised exception KeyError('missing')", "GB0059")) == ""


def cause(context: str, gb_id: str = "GB0088") -> Cause:
    return Cause("Observed exception", "Observed exception", context=context, gb_id=gb_id)
