from __future__ import annotations

from inspector.report.baseline import KnownFinding, compared
from inspector.report.finding import Finding, Place
from inspector.report.severity import Severity


def new(
    fingerprint: str = "a", file: str = "model.py", severity: Severity = Severity.WARNING
) -> Finding:
    place = Place(file, 1)
    return Finding("recompile", severity, "found", place, fingerprint=fingerprint)


def old(
    fingerprint: str = "a", file: str = "model.py", severity: Severity = Severity.WARNING
) -> KnownFinding:
    return KnownFinding("recompile", severity, "found", file, 1, None, fingerprint)


def test_known_new_and_fixed() -> None:
    comparison = compared([new("a"), new("b")], [old("a"), old("c")])

    assert comparison.is_new == (False, True)
    assert [finding.fingerprint for finding in comparison.fixed] == ["c"]


def test_equal_fingerprints_are_counted() -> None:
    assert compared([new(), new()], [old()]).is_new == (False, True)
    assert compared([new(), new()], [old(), old()]).is_new == (False, False)
    assert len(compared([new()], [old(), old(), old()]).fixed) == 2


def test_of_equal_ones_that_in_the_same_file_is_the_known_one() -> None:
    findings = [new(file="b/model.py"), new(file="a/model.py")]

    assert compared(findings, [old(file="a/model.py")]).is_new == (True, False)


def test_another_folder_is_no_other_finding() -> None:
    assert compared([new(file="model.py")], [old(file="src/model.py")]).is_new == (False,)


def test_what_has_become_graver_is_new_and_not_gone() -> None:
    comparison = compared([new(severity=Severity.ERROR)], [old()])

    assert comparison.is_new == (True,)
    assert comparison.fixed == ()
    assert compared([new()], [old(severity=Severity.ERROR)]).is_new == (False,)
