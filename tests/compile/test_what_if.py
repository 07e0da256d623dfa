"""What recompiles next is what torch does next, on generated programs and single changes."""

from __future__ import annotations

import pytest

from benchmarks import what_if

pytestmark = pytest.mark.compile
_COUNT = 84  # three of each kind


@pytest.fixture(scope="module")
def found() -> list[dict[str, object]]:
    return what_if.cases(seed=20, count=_COUNT)


def test_changes_are_of_all_kinds_and_of_both_outcomes(found: list[dict[str, object]]) -> None:
    rows = what_if.table(found)
    assert len(rows) == 27
    assert sum(sum(row.counts.values()) for row in rows) == _COUNT
    happened = sum(row.counts[True, True] + row.counts[False, True] for row in rows)
    assert _COUNT / 4 < happened < _COUNT * 3 / 4 + 9


def test_what_recompiles_is_predicted(found: list[dict[str, object]]) -> None:
    missed = [item for item in found if item.get("predicted") != item.get("actual")]
    assert not missed


def test_what_becomes_of_a_change_is_predicted(found: list[dict[str, object]]) -> None:
    wrong = list(what_if.wrong(found))
    assert len(wrong) <= _COUNT * 0.05, wrong
