"""Values that are told apart in every combination, out of what recompiled."""

from __future__ import annotations

import pytest

from inspector.features.recompiles.changes import multiplied
from inspector.run.recompile import Answer, Known, Origin, Recompile, RecompileClass, Value
from inspector.trace.compile_id import CompileId


def recompiled(
    *changes: tuple[int, str, str, str], answer: Answer = Answer.AGAIN
) -> list[Recompile]:
    """One recompilation for each (number of the entry, name, before, now)."""
    return [
        Recompile(
            compile_id=CompileId(0, number), entry=CompileId(0, entry), others=(), guard="",
            comment="", hint="", source=f"L['{name}']", name=name, index=None,
            kind=RecompileClass.KEYS if "with" in before else RecompileClass.BOOL,
            origin=Origin.ARGUMENT, before=Value(before, Known.PARSED),
            now=Value(now, Known.PARSED), answer=answer,
        )
        for number, (entry, name, before, now) in enumerate(changes, start=1)
    ]  # fmt: skip


TWO = ((0, "a", "False", "True"), (0, "b", "False", "True"), (1, "b", "False", "True"))


def test_two_flags_are_four_programs() -> None:
    found = multiplied(recompiled(*TWO), limit=8)

    assert found is not None
    assert (found.names, found.values, found.combinations) == (("a", "b"), (2, 2), 4)
    assert found.told() == (
        "a, b multiply: 2 × 2 = 4 programs, 4 compiled so far"  # noqa: RUF001
    )


def test_the_limit_is_told_where_it_is_in_the_way() -> None:
    found = multiplied(recompiled(*TWO), limit=3)

    assert found is not None
    assert found.exceeds_limit
    assert found.told().endswith("4 programs, 4 compiled so far, and torch stops at 3")


def test_keys_are_told_apart_each_for_itself() -> None:
    keys = ((0, "kw", "with 'm'", "without 'm'"), (0, "kw", "without 'b'", "with 'b'"),
            (1, "kw", "without 'b'", "with 'b'"))  # fmt: skip
    found = multiplied(recompiled(*keys), limit=8)

    assert found is not None
    assert found.names == ("'m' in kw", "'b' in kw")


@pytest.mark.parametrize(
    "history",
    [
        recompiled(*TWO[:2]),  # each value once
        recompiled((0, "a", "1", "2"), (1, "a", "2", "3")),  # one name
        # A size in between is no combination.
        recompiled(*TWO[:2]) + recompiled((0, "x", "3", "4"), answer=Answer.DYNAMIC),
        # Three modes, and one flag in one of them.
        recompiled((0, "m", "a", "b"), (1, "m", "b", "c"), (2, "f", "False", "True")),
        [],
    ],
)
def test_nothing_multiplies(history: list[Recompile]) -> None:
    assert multiplied(history, limit=8) is None
