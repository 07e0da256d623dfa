"""Values that are told apart in every combination, out of what recompiled."""

from __future__ import annotations

import pytest

from inspector.events.compile_id import CompileId
from inspector.findings.recompile_multiplied import multiplied
from inspector.model.recompile import Answer, Known, Origin, Recompile, RecompileClass, Value


def changed(name: str, before: str, now: str, answer: Answer = Answer.AGAIN) -> Recompile:
    return Recompile(
        compile_id=CompileId(0, 1), entry=None, others=(), guard="", comment="", hint="",
        source=f"L['{name}']", name=name, index=None, kind=RecompileClass.BOOL,
        origin=Origin.ARGUMENT, before=Value(before, Known.PARSED), now=Value(now, Known.PARSED),
        answer=answer,
    )  # fmt: skip


A = changed("a", "False", "True")
B = changed("b", "False", "True")
C = changed("c", "x", "y")


def test_two_flags_are_four_programs() -> None:
    found = multiplied([A, B, A], compiled=4, limit=8)

    assert found is not None
    assert (found.names, found.values, found.combinations) == (("a", "b"), (2, 2), 4)
    assert found.told() == (
        "a, b are told apart in every combination: 2 × 2 = 4 programs, 4 of them compiled so far"  # noqa: RUF001
    )


def test_the_limit_is_told_where_it_is_in_the_way() -> None:
    found = multiplied([A, B, A, C, A, B, A], compiled=8, limit=4)

    assert found is not None
    assert found.told().endswith("8 programs, 8 of them compiled so far, and torch stops at 4")


@pytest.mark.parametrize(
    ("history", "compiled"),
    [
        ([A, B], 3),  # each value once
        ([A, A], 3),  # one name
        ([A, B, A], 9),  # more than they explain
        ([changed("a", "1", "2", Answer.DYNAMIC), B, B], 4),
        ([], 1),
    ],
)
def test_nothing_multiplies(history: list[Recompile], compiled: int) -> None:
    assert multiplied(history, compiled, limit=8) is None
