"""Advice on a tensor that requires a gradient takes it from nothing else."""

from __future__ import annotations

import ast

import pytest

from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.fix import fixes
from inspector.report.user_code.call_site import CallSite
from inspector.report.user_code.calls import Parameters
from inspector.run.recompile import Answer, Change, Known, Origin, Recompile, RecompileClass, Value
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId

GRAD = RecompileClass.REQUIRES_GRAD


def advice(call: str, *names: str, parameters: tuple[str, ...], now: str = "True") -> str:
    before = str(now != "True")
    changes = tuple(Change(GRAD, f"L['{name}']", name, None, before, now) for name in names)
    item = Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), "", "", "", f"L['{names[0]}']",
        names[0], None, GRAD, Origin.ARGUMENT, Value(before, Known.PARSED),
        Value(now, Known.PARSED), Answer.AGAIN, changes=changes,
    )  # fmt: skip
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    frame = StackFrame("/project/model.py", 9, "main", call)
    site = CallSite(frame, node, Parameters(names=parameters, positional=len(parameters)))
    return "\n".join(fixes(FixCase((item,), site, "f", Roots("/project"), (item,))))


@pytest.mark.parametrize(
    ("call", "names", "parameters", "wanted"),
    [
        ("f(x, y)", ("a",), ("a", "b"), "pass x.detach() in the call at model.py:9."),
        ("f(w * 2)", ("a",), ("a",), "pass (w * 2).detach() in the call"),
        ("f(pair)", ("p[0]",), ("p",), "pass pair[0].detach() in the call"),
        ("f(*pair)", ("a", "b"), ("a", "b"), "pass pair[0].detach(), pair[1].detach() in the call"),
        ("f(x, x)", ("a",), ("a", "b"), "pass x.detach() in the call at model.py:9."),
    ],
)  # fmt: skip
def test_what_is_passed_keeps_its_gradient(
    call: str, names: tuple[str, ...], parameters: tuple[str, ...], wanted: str
) -> None:
    text = advice(call, *names, parameters=parameters)

    assert wanted in text
    assert "] = " not in text  # a tuple's items cannot be set
    assert "nothing is needed" in text
    assert "For one program that keeps the gradient, call .requires_grad_() on" in text


def test_what_requires_none_any_more_is_told_so() -> None:
    text = advice("f(pair)", "p[0]", "p[1]", parameters=("p",), now="False")

    assert text.startswith(
        "If one of their gradients is needed, call .requires_grad_() on pair[0], pair[1] before "
        "the call at model.py:9."
    )
    assert ".detach()" not in text
