"""What a condition that fails is about."""

from __future__ import annotations

import pytest

from inspector.builder.failing_checks import changes_of
from inspector.events.guard_checks import Check, RelationCheck
from inspector.guards.evaluate import passes
from inspector.guards.state import State, Tensor, Value
from inspector.model.guard_source import Origin
from inspector.model.guards import Guard
from inspector.model.recompile import RecompileClass

X = Tensor(
    type="Tensor", keys=("CPU",), dtype="torch.float32", device_index=None, requires_grad=False,
    size=(11, 3), stride=(3, 1),
)  # fmt: skip
STATE = State({"L['x']": Value(tensor=X), "L['n']": Value(type="<class 'int'>", text="4")}, {})


def guard(check: Check) -> Guard:
    return Guard(0, "LAMBDA_GUARD", "", "", Origin.INPUT, check, "", None)


@pytest.mark.parametrize(
    ("expression", "kind", "name"),
    [
        ("2 <= L['x'].size()[0] <= 10", RecompileClass.SYMBOLIC_SHAPE, "2 <= x.size()[0] <= 10"),
        ("L['n'] == 0", RecompileClass.INT, "n"),
        ("L['x'] is L['y']", RecompileClass.ALIASING, "x"),
    ],
)
def test_a_condition_is_on_sizes_on_a_number_or_on_what_is_one_object(
    expression: str, kind: RecompileClass, name: str
) -> None:
    failing = guard(RelationCheck(expression))
    (change,) = changes_of(failing, STATE)

    assert passes(failing, STATE) is False
    assert (change.kind, change.name) == (kind, name)


def test_what_one_tree_alone_says_of_modules_does_not_fail_in_another() -> None:
    expression = "G['__import_torch'].F is G['nn'].functional"

    assert passes(guard(RelationCheck(expression)), STATE) is None
