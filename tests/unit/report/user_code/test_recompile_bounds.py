"""What became dynamic within bounds alone, and two sizes that a condition parts."""

from __future__ import annotations

import dataclasses

from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.fix import fixes
from inspector.features.recompiles.wording import told
from inspector.report.user_code.call_site import CallSite
from inspector.run.recompile import (
    Answer,
    Bound,
    Change,
    Known,
    Origin,
    Recompile,
    RecompileClass,
    Value,
)
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId

LINE = StackFrame("/project/model.py", 3, "f", "if x.shape[0] > 128:")
BEYOND = Bound("129 <= L['x'].size()[0]", "129 <= x.size(0)", parts=True, stack=(LINE,))
NUMBER = Bound("4 <= L['n']", "4 <= n", parts=True, stack=(LINE,))


def item(kind: RecompileClass, name: str, *bounds: Bound) -> Recompile:
    index = 0 if kind is RecompileClass.SIZE else None
    change = Change(kind, f"L['{name}']", name, index, "128", "256", is_dynamic=True)
    return Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), "", "", "", f"L['{name}']", name,
        index, kind, Origin.ARGUMENT, Value("128", Known.PARSED), Value("256", Known.PARSED),
        Answer.DYNAMIC, changes=(change,), bounds=bounds,
    )  # fmt: skip


def advice(found: Recompile) -> tuple[str, ...]:
    site = CallSite(None)
    return fixes(FixCase((found,), site, "f", Roots("/project"), history=(found,)))


def test_what_bounds_it_is_said_in_place_of_a_promise() -> None:
    bare = item(RecompileClass.SIZE, "x")
    bounded = item(RecompileClass.SIZE, "x", BEYOND)

    assert "; dynamic since then" in "\n".join(told([bare]))
    (line,) = told([bounded])
    assert line.endswith("dynamic since then, within `129 <= x.size(0)`")


def test_no_mark_is_a_cure_for_two_sides() -> None:
    first, variable = advice(item(RecompileClass.SIZE, "x", BEYOND))

    assert "sizes 128 and 256 are on two sides of `129 <= x.size(0)` (model.py:3: `if" in first
    assert "no mark makes one of the two. Nothing is needed for these" in first
    assert first.endswith(
        "To avoid that, call torch._dynamo.mark_dynamic(x, 0) before the first call of f."
    )
    assert variable.startswith("The same without changing the source, ")


def test_on_one_side_a_mark_is_the_cure() -> None:
    bound = dataclasses.replace(BEYOND, parts=False)

    assert advice(item(RecompileClass.SIZE, "x", bound))[0].startswith("Call torch._dynamo.mark_")


def test_numbers_have_no_marks() -> None:
    (text,) = advice(item(RecompileClass.INT, "n", NUMBER))

    assert "numbers 128 and 256 are on two sides of `4 <= n`" in text
    assert "mark" not in text
    assert text.endswith("TORCH_COMPILE_DYNAMIC_SOURCES=\"L['n']\" in the environment.")


def test_further_numbers_need_nothing_within_the_bounds() -> None:
    bound = dataclasses.replace(NUMBER, parts=False)
    first, *_ = advice(item(RecompileClass.INT, "n", bound))

    assert first.startswith("Nothing is needed for further calls within `4 <= n`. ")
