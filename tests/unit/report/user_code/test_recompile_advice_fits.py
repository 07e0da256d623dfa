"""Advice on recompilations is left out where it would break, or help in nothing."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.fix import fixes
from inspector.report.user_code.call_site import CallSite
from inspector.run.recompile import (
    Answer,
    Change,
    Known,
    Limit,
    Origin,
    Recompile,
    RecompileClass,
    Value,
)
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId

BREAK = StackFrame("/project/model.py", 20, "forward", "print(y.shape)")


def recompiled(
    kind: RecompileClass, name: str, origin: Origin, values: tuple[str, str] = ("1", "2")
) -> Recompile:
    index = 0 if kind is RecompileClass.SIZE else None
    before, now = (Value(text, Known.PARSED) for text in values)
    return Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), "", "", "", f"L['{name}']", name,
        index, kind, origin, before, now, Answer.AGAIN,
    )  # fmt: skip


def advice(*items: Recompile, apart_by: StackFrame | None = None) -> str:
    case = FixCase(items, CallSite(None), "f", Roots("/project"), items, apart_by=apart_by)
    return "\n".join(fixes(case))


def test_a_caller_that_is_compiled_marks_nothing() -> None:
    size = recompiled(RecompileClass.SIZE, "x", Origin.ARGUMENT, ("4", "8"))
    assert "Call torch._dynamo.mark_dynamic(x, 0)" in advice(size)
    text = advice(size, apart_by=BREAK)
    assert "mark_dynamic" not in text
    assert text.startswith("Fix the graph break at model.py:20, so that f becomes part of its")
    assert text.count("dynamic=True") == 1


@pytest.mark.parametrize("origin", [Origin.MODULE_ATTRIBUTE, Origin.GLOBAL])
@pytest.mark.parametrize(
    ("code", "is_needed"),
    [
        ("if self.step % 2:", True),
        ("y = x[: self.step]", True),
        ("self.pre[self.step] = q[0]", True),
        ('print(f"step {self.step}")', True),
        ("y = x * self.step", False),
    ],
)
def test_what_needs_the_number_itself_gets_no_tensor(
    origin: Origin, code: str, *, is_needed: bool
) -> None:
    line = StackFrame("/project/model.py", 9, "f", code)
    item = recompiled(RecompileClass.INT, "self.step", origin)
    item = dataclasses.replace(item, guard_stack=(line,))
    assert ("Make it a tensor" in advice(item)) is not is_needed


def test_no_limit_is_high_enough_for_what_counts_calls() -> None:
    def keyed(number: int, now: str) -> Recompile:
        count = Change(RecompileClass.INT, "G['STEP']", "STEP", None, str(number), now)
        item = recompiled(RecompileClass.STR, "key", Origin.ARGUMENT, (f"'{number}'", f"'{now}'"))
        return dataclasses.replace(
            item, changes=(count,), limit=Limit("recompile_limit", 8, raised=False)
        )

    counted = [keyed(number, str(number + 1)) for number in range(3)]
    assert "recompile_limit=16" not in advice(*counted)
    assert "recompile_limit=16" in advice(*[keyed(number, "7") for number in range(3)])
