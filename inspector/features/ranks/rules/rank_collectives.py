"""Ranks whose graphs have other collectives, or another order of them."""

from collections.abc import Iterator

from inspector.features.ranks.differences import Aspect
from inspector.features.ranks.report import RanksReport
from inspector.features.ranks.wording import ranks
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity


class RankCollectivesRule(Rule[RanksReport, Finding]):
    """Ranks run different collectives, or run them in a different order."""

    id = "rank-collectives"
    severity = Severity.ERROR

    def check(self, report: RanksReport) -> Iterator[Finding]:
        """One finding per compilation."""
        for row in report.rows:
            for item in row.differences:
                if item.aspect is Aspect.COLLECTIVES:
                    first, second = (ranks(report.run, group) for group in item.groups[:2])
                    name = row.frame.name
                    yield Finding(
                        **self.at(report.run, row.place(report.run), str(row.number)),
                        message=f"collectives of {name} differ between {first} and {second}",
                        why=f"{first}: {item.shown[0]}; {second}: {item.shown[1]}",
                        fix="Make all ranks take the same branch, with the same settings, or move "
                        "the collectives out of the compiled function.",
                        notes=("ranks in different collectives hang until a timeout",),
                        evidence="inductor_collective_schedule",
                        processes=item.groups[1],
                    )


RULE = RankCollectivesRule()
