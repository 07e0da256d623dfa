import pytest

from inspector.errors import UsageError
from inspector.report.fail_on import fails_on, parse_fail_on
from inspector.report.severity import Severity

RULES = ("compile-error", "graph-break", "recompile", "skipped-frame", "error", "warning", "info")


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["graph-break"], ("graph-break",)),
        (["graph-break, recompile", "error,graph-break"], ("graph-break", "recompile", "error")),
        (["Graph_Break"], ("graph-break",)),
        ([], ()),
    ],
)
def test_names_are_ids_and_severities(texts: list[str], names: tuple[str, ...]) -> None:
    assert parse_fail_on(texts, RULES) == names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("graph-breaks", "Did you mean graph-break"),
        ("skiped-frame", "Did you mean skipped-frame"),
        ("warn", "Did you mean warning"),
        ("zzz", "graph-break, recompile, skipped-frame, error, warning, info."),
        ("", "Choose from"),
        (" , ", "Choose from"),
    ],
)
def test_a_wrong_name_leads_to_the_right_ones(text: str, said: str) -> None:
    with pytest.raises(UsageError, match="--fail-on has no") as error:
        parse_fail_on([text], RULES)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("name", "rule", "severity", "fails"),
    [
        ("warning", "compile-error", Severity.ERROR, True),
        ("warning", "graph-break", Severity.WARNING, True),
        ("error", "graph-break", Severity.WARNING, False),
        ("info", "graph-break", Severity.WARNING, True),
        ("graph-break", "graph-break", Severity.INFO, True),
        ("recompile", "graph-break", Severity.INFO, False),
    ],
)
def test_a_severity_includes_the_graver_ones(
    name: str, rule: str, severity: Severity, *, fails: bool
) -> None:
    assert fails_on((name,), rule, severity) is fails
