"""How a change is reported, and what follows from it."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.recompiles.changes import also_changed
from inspector.features.recompiles.fix_values import without_state
from inspector.features.recompiles.wording import changed, reason_lines
from inspector.run.recompile import Change, Recompile, RecompileClass
from tests.unit.recompiled import recompile

_C = RecompileClass
ADAM = "/site-packages/torch/optim/adam.py"
GRAD = Change(_C.NONE, "L['self'].grad", "self.grad", None, "a tensor", "None")
STATE = Change(_C.LENGTH, "L['self'].state", "self.state", None, "4", "3")


def batch(new: tuple[str, ...] = (), missing: tuple[str, ...] = ()) -> Recompile:
    fields = {"guard": "len(batch) != 1", "new_keys": new, "missing_keys": missing}
    return recompile(_C.KEYS, "batch", **fields)


BOTH = batch(("'mask'", "'y{0}'"), ("'z'",))


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (recompile(_C.ALIASING, ""), "the aliasing of tensors changes"),
        (recompile(_C.ALIASING, "x"), "the aliasing of tensors changes: x"),
        (
            recompile(_C.NONE, "self.__dict__['_modules']['up'].bias"),
            "self.up.bias changes to or from None",
        ),
        (batch(("'mask'",)), "the key 'mask' is present in batch only in some calls"),
        (BOTH, "the keys 'mask', 'y{0}', 'z' are present in batch only in some calls"),
        (batch(), "the keys of batch change"),
    ],
)
def test_what_changes(item: Recompile, text: str) -> None:
    assert changed(item) == text


def test_of_keys_each_side_has_what_the_other_lacks() -> None:
    assert [*reason_lines([BOTH])][1] == (
        "0/1: with 'z', without 'mask', 'y{0}' → with 'mask', 'y{0}', without 'z'; each set of "
        "keys is compiled once"
    )


def test_what_is_under_a_new_key_follows_from_it_and_what_is_under_others_does_not() -> None:
    changes = tuple(
        Change(_C.SIZE, f"L['batch']['{key}']", f"batch['{key}']", 0, "4", "6")
        for key in ("mask", "ids")
    )
    item = dataclasses.replace(batch(("'mask'",)), changes=changes)

    assert [also.name for also in also_changed(item)] == ["batch['ids']"]


@pytest.mark.parametrize(
    ("reason", "changes", "file", "left"),
    [
        (GRAD, (GRAD, STATE), ADAM, (GRAD,)),
        (STATE, (GRAD, STATE), ADAM, (GRAD, STATE)),
        (GRAD, (GRAD, STATE), "/project/model.py", (GRAD, STATE)),
        (GRAD, (dataclasses.replace(STATE, name="self.states"),), ADAM,
         (dataclasses.replace(STATE, name="self.states"),)),
    ],
)  # fmt: skip
def test_an_optimizers_state_is_told_as_the_reason_alone(
    reason: Change, changes: tuple[Change, ...], file: str, left: tuple[Change, ...]
) -> None:
    item = recompile(reason.kind, reason.name, changes=changes)
    assert without_state(item, file).changes == left
