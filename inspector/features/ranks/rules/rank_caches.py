"""Ranks that miss the caches that other ranks hit."""

from collections.abc import Iterator

from inspector.features.ranks.differences import Aspect, Difference
from inspector.features.ranks.report import RankRow, RanksReport
from inspector.features.ranks.wording import ranks
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import duration
from inspector.run.run import Run

_LOCAL = (
    "Share one cache between all ranks. On one host, set the same TORCHINDUCTOR_CACHE_DIR. Across "
    "hosts, call torch.compiler.save_cache_artifacts() on one rank and load_cache_artifacts() on "
    "the others."
)


class RankCachesRule(Rule[RanksReport, Finding]):
    """Some ranks miss the compiler caches where others hit."""

    id = "rank-caches"
    severity = Severity.INFO

    def check(self, report: RanksReport) -> Iterator[Finding]:
        """One finding per pair of groups, for graphs that are equal."""
        found: dict[object, list[tuple[RankRow, Difference]]] = {}
        for row in report.rows:
            aspects = {item.aspect: item for item in row.differences}
            item = aspects.pop(Aspect.CACHES, None)
            if item is not None and not aspects:
                found.setdefault((item.groups, item.keys), []).append((row, item))
        for members in found.values():
            yield self._finding(report.run, members)

    def _finding(self, run: Run, members: list[tuple[RankRow, Difference]]) -> Finding:
        row, item = members[0]
        first, second = (ranks(run, group) for group in item.groups[:2])
        wait_ns = sum(each.wait_ns for each, _ in members)
        keys = f"; the keys differ in {', '.join(item.keys)}" if item.keys else ""
        return Finding(
            **self.at(run, row.place(run), "caches"),
            message=f"{second}: cache results of {row.frame.name} differ from those on {first}; "
            f"the faster ranks wait up to {duration(wait_ns)} (estimate)",
            why=f"{first}: {item.shown[0]}; {second}: {item.shown[1]}{keys}",
            fix=_LOCAL
            if not item.keys
            else "Make that part of the key equal on all ranks (code, settings, input sizes).",
            records=len(members),
            evidence="fx_graph_cache_miss",
            processes=item.groups[1],
        )


RULE = RankCachesRule()
