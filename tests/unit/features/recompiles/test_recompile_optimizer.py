"""What Dynamo says of an optimiser's state is told where it is the reason, and else left out."""

from __future__ import annotations

import dataclasses

from inspector.features.recompiles.fix_values import without_state
from inspector.run.recompile import Answer, Change, Known, Origin, Recompile, RecompileClass, Value
from inspector.trace.compile_id import CompileId

ADAM = "/site-packages/torch/optim/adam.py"
GRAD = Change(RecompileClass.NONE, "L['self'].grad", "self.grad", None, "a tensor", "None")
STATE = Change(RecompileClass.LENGTH, "L['self'].state", "self.state", None, "4", "3")


def recompile(change: Change) -> Recompile:
    return Recompile(
        CompileId.parse("0/1") or CompileId(None, None), None, (), "", "", "",
        change.source, change.name, None, change.kind, Origin.ARGUMENT,
        Value(change.before, Known.PARSED), Value(change.now, Known.PARSED), Answer.AGAIN,
        changes=(GRAD, STATE),
    )  # fmt: skip


def test_beside_another_reason_it_is_none() -> None:
    assert without_state(recompile(GRAD), ADAM).changes == (GRAD,)


def test_as_the_reason_itself_it_stays() -> None:
    assert without_state(recompile(STATE), ADAM).changes == (GRAD, STATE)


def test_a_state_of_the_program_s_own_stays() -> None:
    item = recompile(GRAD)
    assert without_state(item, "/project/model.py") == item
    other = dataclasses.replace(STATE, name="self.states")
    item = dataclasses.replace(item, changes=(GRAD, other))
    assert without_state(item, ADAM) == item
