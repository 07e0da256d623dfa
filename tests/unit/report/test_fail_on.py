from __future__ import annotations

import pytest

from inspector.errors import UsageError
from inspector.report.fail_on import FailOn, parse_fail_on
from inspector.report.finding import Finding
from inspector.report.severity import Severity

RULES = ("compile-error", "graph-break", "recompile", "skipped-frame")


def finding(rule: str = "graph-break", severity: Severity = Severity.WARNING) -> Finding:
    return Finding(rule, severity, "found")


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["graph-break"], ("graph-break",)),
        (["graph-break, recompile", "error,graph-break"], ("graph-break", "recompile", "error")),
        (["Graph_Break"], ("graph-break",)),
    ],
)
def test_names_are_ids_and_severities(texts: list[str], names: tuple[str, ...]) -> None:
    assert parse_fail_on(texts, RULES) == FailOn(names)


def test_nothing_asked_for_is_no_gate() -> None:
    assert parse_fail_on([], RULES) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("graph-breaks", "Did you mean graph-break"),
        ("skiped-frame", "Did you mean skipped-frame"),
        ("warn", "Did you mean warning"),
        ("zzz", "graph-break, recompile, skipped-frame and the severities error, warning, info"),
        ("", "names nothing"),
        (" , ", "names nothing"),
    ],
)
def test_a_wrong_name_leads_to_the_right_ones(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=r"--fail-on|to fail on") as error:
        parse_fail_on([text], RULES)
    assert said in str(error.value)


def test_a_severity_includes_the_graver_ones() -> None:
    grave = finding("compile-error", Severity.ERROR)

    assert FailOn(("warning",)).matches(grave)
    assert FailOn(("warning",)).matches(finding())
    assert not FailOn(("error",)).matches(finding())
    assert FailOn(("info",)).matches(finding(severity=Severity.INFO))


def test_a_rule_is_matched_whatever_its_severity_and_call() -> None:
    later = Finding("graph-break", Severity.INFO, "found", later=True)

    assert FailOn(("graph-break",)).matches(later)
    assert not FailOn(("recompile",)).matches(later)
