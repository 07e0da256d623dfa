"""Recompilations of torch's optimisers: the first step makes the state, and nobody fills it."""

from __future__ import annotations

import ast
import dataclasses

from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.fix import fixes
from inspector.report.user_code.call_site import CallSite
from inspector.report.user_code.calls import Parameters
from inspector.run.recompile import Answer, Known, Origin, Recompile, RecompileClass, Value
from inspector.shared.roots import Roots
from inspector.trace.compile_id import CompileId

STATE = "self.state[list(dict.keys(self.state))[0]]"
ADAM = "/site/torch/optim/adam.py"


def changed(name: str, kind: RecompileClass) -> Recompile:
    return Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), f"len({name}) != 0", "", "",
        name, name, None, kind, Origin.ATTRIBUTE,
        Value("0", Known.PARSED), Value("1", Known.PARSED), Answer.AGAIN,
    )  # fmt: skip


def advice(item: Recompile, file: str = ADAM) -> str:
    case = FixCase((item,), CallSite(None), "step", Roots("/project"), history=(item,), file=file)
    return fixes(case)[0]


def test_the_first_step_makes_the_state() -> None:
    item = changed(STATE, RecompileClass.KEYS)

    assert advice(item).startswith("Nothing is needed for further steps")
    assert "the same keys" in advice(item, "/project/model.py")


def test_a_learning_rate_can_be_a_tensor() -> None:
    rate = changed("self.param_groups[0]['lr']", RecompileClass.FLOAT)
    found = advice(dataclasses.replace(rate, guard="self.param_groups[0]['lr'] == 0.1"))

    assert "lr=torch.tensor(0.001)" in found


def owner(call: str, function: str) -> str:
    """What the caller calls `self`."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    parameters = Parameters(("self", "x"), positional=2, is_method=True, function=function)
    return CallSite(None, node, parameters).passed("self.lr").written


def test_a_compiled_method_is_not_the_object_that_it_belongs_to() -> None:
    assert owner("net(x)", "forward") == "net.lr"
    assert owner("trainer.step(x)", "step") == "trainer.lr"
    assert not owner("step(x)", "step")
    assert not owner("self.compiled(x)", "step")
