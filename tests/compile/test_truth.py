"""The checked-in truth still is what the installed torch says."""

from __future__ import annotations

import pytest

from tests.compile import truth
from tests.compile.cases import CASES, QUICK, Case

pytestmark = pytest.mark.compile

# One of each kind: a restart, no restart, one site with many records, a frame
# given up in a loop, a recompile limit, and an exception.
LIVE = (
    "output.py:print_between",
    "branches.py:if_twice",
    "inlined.py:two_levels",
    "control.py:in_loop",
    "recompiles.py:limit",
    "failures.py:wrong_shape_after_break",
)
BY_ID = {case.id: case for case in CASES}


def test_every_case_has_a_truth_and_every_truth_a_case() -> None:
    assert set(truth.load_expected()) == set(BY_ID)


def test_case_ids_are_unique() -> None:
    assert len(BY_ID) == len(CASES)
    assert set(QUICK) <= set(BY_ID)


def test_every_site_has_a_file_and_a_line() -> None:
    for case_id, told in truth.load_expected().items():
        for site in told.sites:
            assert site.file, case_id
            assert site.line > 0, case_id


@pytest.mark.parametrize("case", [BY_ID[case_id] for case_id in LIVE], ids=LIVE)
def test_truth_is_what_torch_says(case: Case) -> None:
    if truth.torch_version() != truth.expected_torch():
        pytest.skip(f"the checked-in truth is that of torch {truth.expected_torch()}")
    assert truth.observe(case) == truth.load_expected()[case.id]
