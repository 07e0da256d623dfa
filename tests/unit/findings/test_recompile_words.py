"""How the change for which something is compiled again is said."""

from __future__ import annotations

from inspector.events.compile_id import CompileId
from inspector.findings.recompile_wording import changed
from inspector.model.recompile import Answer, Known, Origin, Recompile, RecompileClass, Value


def recompile(kind: RecompileClass, name: str) -> Recompile:
    return Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), "", "", "",
        name, name, None, kind, Origin.ARGUMENT,
        Value("", Known.PARSED), Value("", Known.PARSED), Answer.AGAIN,
    )  # fmt: skip


def test_of_tensors_that_have_no_names_none_is_said() -> None:
    assert changed(recompile(RecompileClass.ALIASING, "")) == (
        "whether tensors are the same one changes"
    )
    assert changed(recompile(RecompileClass.ALIASING, "x")) == (
        "whether tensors are the same one changes: x"
    )


def test_a_module_in_the_dict_of_another_one_has_its_name() -> None:
    bias = recompile(RecompileClass.NONE, "self.__dict__['_modules']['up'].bias")
    assert changed(bias) == "self.up.bias is None, or no longer"
