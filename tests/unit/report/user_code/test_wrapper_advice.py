"""What a decorator's wrapper passes on is nothing that its caller could write otherwise."""

from __future__ import annotations

from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.fix import fixes
from inspector.report.user_code.call_site import CallSite
from inspector.report.user_code.calls import Parameters
from inspector.run.recompile import Answer, Known, Origin, Recompile, RecompileClass, Value
from inspector.shared.roots import Roots
from inspector.trace.compile_id import CompileId


def advice(kind: RecompileClass, name: str, parameters: Parameters) -> tuple[str, ...]:
    item = Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), "", "", "",
        f"L['{name}']", name, None, kind, Origin.ARGUMENT,
        Value("1", Known.PARSED), Value("2", Known.PARSED), Answer.AGAIN,
    )  # fmt: skip
    site = CallSite(None, parameters=parameters)
    return fixes(FixCase((item,), site, "f", Roots("/project"), history=(item,)))


def test_nobody_stacks_the_arguments_of_a_wrapper() -> None:
    wrapper = Parameters(("self",), 1, star="args", keywords="kwargs")

    assert advice(RecompileClass.VARARGS, "args", wrapper) == ()
    assert advice(RecompileClass.VARARGS, "xs", Parameters(star="xs"))


def test_nobody_converts_self() -> None:
    assert advice(RecompileClass.TYPE, "self", Parameters(("self",), 1)) == ()
    assert advice(RecompileClass.TYPE, "x", Parameters(("self", "x"), 2))
