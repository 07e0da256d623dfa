"""What a gate fails on: ids of rules and names of severities, or what else a command names."""

from collections.abc import Iterable, Sequence

from inspector.errors import UsageError
from inspector.report.severity import Severity
from inspector.shared.near_matches import suggestion


def fails_on(names: Iterable[str], rule: str, severity: Severity) -> bool:
    """Whether a rule is named, or a severity that is not graver, whenever it was found."""
    ranks = [item.rank for item in Severity if item.value in names]
    return rule in names or severity.rank <= max(ranks, default=-1)


def parse_fail_on(texts: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """The names, between commas, that values of ``--fail-on`` give, in full, each once."""
    found: dict[str, None] = {}
    for text in texts:
        for name in map(str.strip, text.split(",")):
            folded = name.casefold().replace("_", "-")
            if folded not in known:
                hint = suggestion(folded, known, f"Choose from {', '.join(known)}.")
                raise UsageError(f"--fail-on has no {name!r}.", hint)
            found[folded] = None
    return tuple(found)
