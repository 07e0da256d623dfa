"""A dict that the compiled function fills is no list that grows."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.fix import fixes
from inspector.report.user_code.call_site import CallSite
from inspector.run.recompile import Answer, Known, Origin, Recompile, RecompileClass, Value
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId


def length(code: str, guard: str = "not G['acts']") -> Recompile:
    line = StackFrame("/project/model.py", 7, "hook", code)
    return Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), guard, "", "",
        "G['acts']", "G['acts']", None, RecompileClass.LENGTH, Origin.GLOBAL,
        Value("0", Known.PARSED), Value("1", Known.PARSED), Answer.AGAIN, guard_stack=(line,),
    )  # fmt: skip


def advice(item: Recompile) -> str:
    return fixes(FixCase((item,), CallSite(None), "f", Roots("/project"), history=(item,)))[0]


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        ("acts[name] = out.detach()", "one for each value of name, with None"),
        ('acts["a"] = out', '("a", with None as its value'),
    ],
)
def test_its_keys_can_be_there_from_the_start(code: str, keys: str) -> None:
    text = advice(length(code))

    assert "give acts all of its keys before the first call" in text
    assert keys in text
    assert "index_copy_" not in text


def test_a_dict_that_has_keys_is_filled_likewise() -> None:
    assert "all of its keys" in advice(length("acts[name] = out", "len(G['acts']) != 1"))


@pytest.mark.parametrize("code", ["y = acts[0] + 1", "if acts[i] == 2:"])
def test_a_list_that_grows_becomes_one_tensor(code: str) -> None:
    assert "Keep one tensor instead of the container acts" in advice(length(code))


def test_what_the_function_appends_is_appended_by_the_caller() -> None:
    item = length("acts.append(x)")
    grown = {item.name: item.guard_stack[-1]}
    case = FixCase((item,), CallSite(None), "f", Roots("/project"), history=(item,), grown=grown)

    assert "add it in the caller after the call" in fixes(case)[0]


def test_nor_is_a_list_that_is_written_by_index() -> None:
    item = dataclasses.replace(length("acts[i] = x"), guard="len(G['acts']) == 3")

    assert "Keep one tensor" in advice(item)
