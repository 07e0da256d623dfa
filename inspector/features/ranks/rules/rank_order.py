"""Ranks that call their graphs in another order."""

from collections.abc import Iterator

from inspector.features.ranks.report import RanksReport
from inspector.features.ranks.wording import function_name, ranks
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity

_MOST_GROUPS = 4


class RankOrderRule(Rule[RanksReport, Finding]):
    """Ranks call their graphs in a different order."""

    id = "rank-order"
    severity = Severity.WARNING

    def check(self, report: RanksReport) -> Iterator[Finding]:
        """One finding, for the first call that differs."""
        found = report.other_order
        if found is None:
            return
        row = next(row for row in found.rows if row is not None)
        groups = [ranks(report.run, group) for group in found.groups]
        calls = ["nothing more" if row is None else function_name(row) for row in found.rows]
        pairs = list(zip(groups, calls, strict=True))[:_MOST_GROUPS]
        yield Finding(
            **self.at(report.run, row.place(report.run), str(found.call)),
            message=f"graph call {found.call + 1} differs between ranks",
            why="; ".join(f"{name} {_calls(name)} {call}" for name, call in pairs),
            fix="Let every rank make the same calls in the same order.",
            evidence="graph_execution",
            processes=found.groups[1],
        )


def _calls(name: str) -> str:
    return "calls" if name.startswith("rank ") else "call"


RULE = RankOrderRule()
