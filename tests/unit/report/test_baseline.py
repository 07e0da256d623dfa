"""Findings against those of an earlier report."""

import pytest

from inspector.report.baseline import compared
from inspector.report.finding import Finding, Place
from inspector.report.severity import Severity

Short = tuple[str, str, Severity]
ERROR, WARNING = Severity.ERROR, Severity.WARNING
A, B, C = ("a", "model.py", WARNING), ("b", "model.py", WARNING), ("c", "model.py", WARNING)
GRAVE = ("a", "model.py", ERROR)
HERE, THERE = ("a", "a/model.py", WARNING), ("a", "b/model.py", WARNING)


@pytest.mark.parametrize(
    ("new", "old", "is_new", "fixed"),
    [
        ([A, B], [A, C], (False, True), ["c"]),
        ([A, A], [A], (False, True), []),
        ([A, A], [A, A], (False, False), []),
        ([A], [A, A, A], (False,), ["a", "a"]),
        ([THERE, HERE], [HERE], (True, False), []),
        ([A], [HERE], (False,), []),  # another folder is no other finding
        ([GRAVE], [A], (True,), []),  # what has become graver is not gone
        ([A], [GRAVE], (False,), []),
    ],
)
def test_known_new_and_fixed(
    new: list[Short], old: list[Short], is_new: tuple[bool, ...], fixed: list[str]
) -> None:
    findings = [Finding("r", s, "found", Place(file, 1), fingerprint=f) for f, file, s in new]
    known = [Finding("r", s, "found", Place(file, 1), fingerprint=f) for f, file, s in old]
    found, gone = compared(findings, known)

    assert found == is_new
    assert [item.fingerprint for item in gone] == fixed
