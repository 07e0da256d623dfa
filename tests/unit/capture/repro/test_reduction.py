"""Delta debugging of a list."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from inspector.capture.repro.search import smallest


@pytest.mark.parametrize("needed", [{0}, {99}, {3, 57}, {10, 11, 12, 90}])
def test_what_is_needed_is_left(needed: set[int]) -> None:
    asked: list[int] = []

    def shows(some: Sequence[int]) -> bool:
        asked.append(len(some))
        return needed <= {*some}

    assert {*smallest(range(100), shows, lambda: False)} == needed
    assert len(asked) < 60


def test_what_was_reached_in_time_is_the_answer() -> None:
    tests = iter(range(3))
    found = smallest(range(100), lambda some: 0 in some, lambda: next(tests, None) is None)
    assert 0 in found
    assert len(found) < 100
