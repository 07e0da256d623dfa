"""A number that a line made a constant: the same advice wherever it is told."""

from __future__ import annotations

import dataclasses

from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.fix import fixes
from inspector.report.user_code.call_site import CallSite
from inspector.run.recompile import (
    Answer,
    Change,
    Known,
    Origin,
    Recompile,
    RecompileClass,
    SymbolUse,
    Value,
)
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId

SOURCE = "L['b'].scale"
TENSOR = "Make b.scale a tensor"


def number(code: str) -> Recompile:
    line = StackFrame("/project/model.py", 7, "f", code)
    return Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), "b.scale == 1.0", "", "",
        SOURCE, "b.scale", None, RecompileClass.FLOAT, Origin.ATTRIBUTE, Value("1.0", Known.PARSED),
        Value("2.0", Known.PARSED), Answer.AGAIN,
        symbols=(SymbolUse("zf0", SOURCE, specialized="2.0", guarded=(line,)),),
    )  # fmt: skip


def with_a_tag(item: Recompile) -> Recompile:
    """A string changes, and the number with it."""
    change = Change(
        RecompileClass.FLOAT, SOURCE, "b.scale", None, "", "2.5",
        specialized="2.5", origin=Origin.ATTRIBUTE,
    )  # fmt: skip
    return dataclasses.replace(
        item, kind=RecompileClass.STR, source="L['b'].tag", name="b.tag", symbols=(),
        changes=(change,),
    )  # fmt: skip


def advice(item: Recompile, *history: Recompile) -> str:
    return fixes(FixCase((item,), CallSite(None), "f", Roots("/project"), history=history))[0]


def test_numpy_takes_a_tensor() -> None:
    item = number("w = f * np.float32(b.scale)")

    assert advice(item, item).startswith(TENSOR)
    assert "model.py:7 (`w = f * np.float32(b.scale)`)" in advice(item, item)


def test_another_line_may_need_the_value() -> None:
    item = number("if b.scale > 1:")

    assert "needs its value" in advice(item, item)


def test_beside_another_change_it_is_the_same_advice() -> None:
    for code, said in (("w = np.float32(b.scale)", TENSOR), ("if b.scale > 1:", "needs its value")):
        item = number(code)
        assert said.lower() in advice(with_a_tag(item), item, with_a_tag(item)).lower()
