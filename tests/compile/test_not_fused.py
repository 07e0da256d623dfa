"""What is said of pairs that were not fused is so: they fuse after the change, and save as much."""

import pytest

from benchmarks import not_fused
from benchmarks.not_fused import known, measured
from benchmarks.not_fused_cases import Case

pytestmark = pytest.mark.compile
# Each of another kind; benchmarks/not_fused.py tries all.
NAMES = (
    "a mean over channels, and pointwise",
    "sums over rows and columns",
    "two slices that overlap",
    "a part changed in place",
    "a custom operator between",
    "four bytes in common",
    "behind a template",
)
CASES = [case for case in known() if case.name in NAMES]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_reason_and_the_bytes_are_right(case: Case) -> None:
    row = measured(case)
    assert row.pair is not None
    assert row.pair.reason is not None
    assert row.pair.reason.kind == case.kind
    assert row.is_fused
    assert row.is_right, (row.stated_bytes, row.saved_bytes)


def test_all_of_the_chosen_cases_are_there() -> None:
    # Of which `known` leaves out what needs a setting that this torch does not have.
    assert {*NAMES} <= {case.name for case in not_fused.CASES}
