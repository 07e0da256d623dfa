"""Branches on tensors that only tell of something, or raise: choosing a value is no help there."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best, other_ways
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import Span, read_text

_ON_TENSOR = "attempted to jump with TensorVariable()"
_ON_ITEM = "call_method TensorVariable() item () {}\nUnsupported Tensor.item() call"


def code(body: str) -> Code:
    text = "def forward(self, x):\n    y = x * 2\n" + textwrap.indent(body, "    ")
    line = text[: text.index("if ")].count("\n") + 1
    return read_text(text, Span(line, line))


def chosen(body: str, gb_id: str = "GB0170", said: str = _ON_TENSOR) -> list[str]:
    """The ids of the advice on the first `if` of a function."""
    found = Break(gb_id, None, said, code(body))
    advice = best(found)
    return [item.id for item in (advice, *other_ways(advice, found))] if advice else []


def branch(*lines: str, then: str = "return y") -> str:
    return "".join(["if x.sum() > 0:\n", *(f"    {line}\n" for line in lines), f"{then}\n"])


@pytest.mark.parametrize(
    "body",
    [
        branch('warnings.warn("positive")'),
        branch('print("positive", y)', "pass"),
        branch('self.logger.warning_once("positive %s", y)'),
        branch('log.info("positive")', "sys.stderr.write('!')"),
        branch('text = f"positive {y}"', "warn(text)"),
        branch("for value in y.tolist():", "    print(value)"),
        'if x.sum() > 0:\n    print("positive")\nelse:\n    print("negative")\n',
        'if x.sum() > 0 and not self.told:\n    warn("positive")\n    self.told = True\nreturn y\n',
    ],
)
def test_what_is_only_told_is_told_by_the_caller(body: str) -> None:
    assert chosen(body) == ["branch-report", "branch-uncompiled"]


@pytest.mark.parametrize(
    "body", [branch("y.log_()"), branch("pass"), branch("text = y.sum()", then="return text")]
)
def test_what_computes_something_is_a_branch(body: str) -> None:
    assert chosen(body)[0] == "branch-where"


@pytest.mark.parametrize(
    "body",
    [
        branch("print(y)", "y = y + 1"),
        branch("print(y)", "self.told = True"),  # nothing here asks for it
        "try:\n    if x.sum() < 0:\n        raise ValueError\nexcept ValueError:\n    y = -y\n",
        "with suppress(ValueError):\n    if x.sum() < 0:\n        raise ValueError\n",
        branch("text = y.sum()", "print(text)", then="return text"),
        branch("print(y)", "return x"),
        "if x.sum() > 0:\n    print(y)\nelse:\n    y = y + 1\nreturn y\n",
    ],
)
def test_what_tells_and_computes_is_for_the_caller_to_decide(body: str) -> None:
    assert chosen(body) == ["branch-decided"]


def test_what_is_told_before_an_error_is_not_lost_in_an_assertion() -> None:
    body = branch('log.error("negative")', "raise ValueError")
    assert chosen(body) == ["branch-report", "branch-uncompiled"]
    assert "branch-raise-in-graph" in chosen(branch("raise ValueError"))


def test_a_number_that_only_the_check_needs_is_no_number_to_keep() -> None:
    body = branch('warnings.warn("positive")').replace("sum()", "sum().item()")
    assert chosen(body, "GB0124", _ON_ITEM)[0] == "branch-report"
    raised = branch("raise ValueError").replace("sum()", "sum().item()")
    assert set(chosen(raised, "GB0124", _ON_ITEM)[1:]) == {
        "branch-raise-in-graph",
        "branch-uncompiled",
    }
