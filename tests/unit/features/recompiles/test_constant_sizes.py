"""Sizes that a line needs as constants, against those that another input held once."""

from __future__ import annotations

import dataclasses

from inspector.features.recompiles.marks import changing_sizes, constants, specialized_use
from inspector.run.recompile import Answer, Change, Recompile, RecompileClass, SymbolUse
from tests.unit.recompiled import recompile

SIZE = "L['x'].size()[0]"


def item(*changes: Change, uses: tuple[SymbolUse, ...] = ()) -> Recompile:
    kind = RecompileClass.SIZE
    return recompile(kind, "x", "4", "5", answer=Answer.DYNAMIC, symbols=uses, changes=changes)


def change(name: str, index: int, *, now: str = "5", constant: str | None = None) -> Change:
    return Change(
        RecompileClass.SIZE, f"L['{name}']", name, index, "4", now,
        is_dynamic=constant is None, specialized=constant,
    )  # fmt: skip


def test_every_size_that_changes_is_marked_but_0_and_1_and_those_of_parameters() -> None:
    weight = dataclasses.replace(change("w", 0), source="L['self']._parameters['w']")
    history = [
        item(change("x", 0), change("y", 1)),
        item(change("x", 2), change("z", 0, now="1"), weight),
    ]
    assert changing_sizes(history) == {"x": (0, 2), "y": (1,)}


def test_what_a_line_makes_a_constant_is_not() -> None:
    use = SymbolUse("s0", SIZE, specialized="4")
    history = [item(change("x", 0), uses=(use,))]

    assert constants(history) == {SIZE}
    assert changing_sizes(history) == {}
    assert specialized_use(history[0], history) == use


def test_what_another_input_held_once_is() -> None:
    first = item(change("x", 0, constant="3"))
    use = SymbolUse("s0", SIZE, specialized="3", held_by=("L['mask'].size()[0]",))
    second = item(change("x", 0), change("mask", 0), uses=(use,))

    assert constants([first, second]) == frozenset()
    assert changing_sizes([first, second]) == {"x": (0,), "mask": (0,)}
