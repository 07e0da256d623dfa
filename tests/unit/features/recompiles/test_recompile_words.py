"""How the change for which something is compiled again is said."""

from __future__ import annotations

import dataclasses

from inspector.features.recompiles.changes import also_changed
from inspector.features.recompiles.wording import changed, told
from inspector.run.recompile import Answer, Change, Known, Origin, Recompile, RecompileClass, Value
from inspector.trace.compile_id import CompileId


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


def batch(new: tuple[str, ...] = (), missing: tuple[str, ...] = ()) -> Recompile:
    item = recompile(RecompileClass.KEYS, "batch")
    return dataclasses.replace(item, guard="len(batch) != 1", new_keys=new, missing_keys=missing)


def test_keys_that_come_and_go_are_named() -> None:
    both = batch(("'mask'", "'y{0}'"), ("'z'",))

    assert changed(batch(("'mask'",))) == "the key 'mask' comes and goes in batch"
    assert changed(both) == "the keys 'mask', 'y{0}', 'z' come and go in batch"
    assert changed(batch()) == "the keys of batch change"
    assert next(iter([*told([both])][1:])) == (
        "0/1: with 'z', without 'mask', 'y{0}' → with 'mask', 'y{0}', without 'z'; each set of "
        "keys is compiled once"
    )


def test_what_is_under_a_new_key_follows_from_it_and_what_is_under_others_does_not() -> None:
    changes = tuple(
        Change(RecompileClass.SIZE, f"L['batch']['{key}']", f"batch['{key}']", 0, "4", "6")
        for key in ("mask", "ids")
    )
    item = dataclasses.replace(batch(("'mask'",)), changes=changes)

    assert [also.name for also in also_changed(item)] == ["batch['ids']"]
