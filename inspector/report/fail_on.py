"""What a gate fails on: rules and severities by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from inspector.errors import UsageError
from inspector.report.finding import Finding
from inspector.report.severity import Severity
from inspector.shared.near_matches import near_matches


@dataclasses.dataclass(frozen=True, slots=True)
class FailOn:
    """Which findings make a gate fail.

    Attributes:
        names: Ids of rules and names of severities, in full, in the order in which they were given.
    """

    names: tuple[str, ...]

    def matches(self, finding: Finding) -> bool:
        """Whether a finding is of one of the rules, or at least as grave as one of the severities.

        It does not matter whether the first calls or only later ones showed it.
        """
        ranks = [item.rank for item in Severity if item.value in self.names]
        return finding.rule in self.names or finding.severity.rank <= max(ranks, default=-1)


def parse_fail_on(texts: Iterable[str], rules: Iterable[str]) -> FailOn | None:
    """What was asked for with ``--fail-on``; None where nothing was.

    Args:
        texts: The values of the option: names between commas.

    Raises:
        UsageError: There is no such name.
    """
    known = tuple(rules)
    given = list(texts)
    names = [name for text in given for name in map(str.strip, text.split(",")) if name]
    if given and not names:
        raise UsageError("--fail-on names nothing.", _choices(known))
    found = dict.fromkeys(_full_name(name, known) for name in names)
    return FailOn(tuple(found)) if found else None


def _full_name(name: str, rules: tuple[str, ...]) -> str:
    folded = name.casefold().replace("_", "-")
    severities = [severity.value for severity in Severity]
    if folded in severities or folded in rules:
        return folded
    near = near_matches(folded, [*rules, *severities])
    hint = f"Did you mean {' or '.join(near)}?" if near else _choices(rules)
    raise UsageError(f"There is no rule or severity {name!r} to fail on.", hint)


def _choices(rules: tuple[str, ...]) -> str:
    severities = ", ".join(severity.value for severity in Severity)
    return f"Choose of the rules {', '.join(rules)} and the severities {severities}."
