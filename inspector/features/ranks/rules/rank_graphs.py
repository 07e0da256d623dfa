"""Ranks that compiled another graph of the same function, or with other guards."""

from collections.abc import Iterator

from inspector.features.ranks.differences import Aspect, Difference
from inspector.features.ranks.report import RankRow, RanksReport
from inspector.features.ranks.wording import ranks
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.run.run import Run
from inspector.shared.roots import Owner

_MOST_GUARDS = 3


_TORCHS = frozenset({Owner.TORCH, Owner.STDLIB})
_NOUNS = {Aspect.GRAPH: "graph", Aspect.GUARDS: "guards", Aspect.CODE: "generated code"}


class RankGraphsRule(Rule[RanksReport, Finding]):
    """Ranks compile different graphs of the same function."""

    id = "rank-graphs"
    severity = Severity.WARNING

    def check(self, report: RanksReport) -> Iterator[Finding]:
        """One finding per code object and pair of groups."""
        found: dict[object, list[tuple[RankRow, Difference]]] = {}
        for row in report.rows:
            for item in row.differences:
                if item.aspect in _NOUNS:
                    key = (row.place(report.run), item.aspect, item.groups, item.guards)
                    found.setdefault(key, []).append((row, item))
        for members in found.values():
            yield self._finding(report.run, members)

    def _finding(self, run: Run, members: list[tuple[RankRow, Difference]]) -> Finding:
        row, item = members[0]
        first, second = (ranks(run, group) for group in item.groups[:2])
        is_users = item.line is not None and run.roots.owner(item.line.file) not in _TORCHS
        return Finding(
            **self.at(run, item.line if is_users else row.place(run), item.aspect.value),
            message=f"{second}: {_NOUNS[item.aspect]} of {row.frame.name} "
            f"{'differ' if item.aspect is Aspect.GUARDS else 'differs'} from {first}",
            why="; ".join(_why(first, second, item)),
            fix=_fix(item),
            notes=tuple(f"also different on {ranks(run, group)}" for group in item.groups[2:]),
            records=len(members),
            evidence="dynamo_output_graph",
            processes=item.groups[1],
        )


def _why(first: str, second: str, item: Difference) -> Iterator[str]:
    for name, guards in zip((first, second), item.guards, strict=True):
        if guards:
            yield f"{name} {_is(name)} specialized on {', '.join(guards[:_MOST_GUARDS])}"
    if item.aspect is Aspect.GRAPH:
        parts = zip((first, second), item.shown, strict=False)
        yield from (f"{name} {_has(name)} {text}" for name, text in parts if text)
    if item.aspect is Aspect.CODE:
        yield "graph and guards are equal, so settings, versions or autotuning results differ"


def _is(name: str) -> str:
    return "is" if name.startswith("rank ") else "are"


def _has(name: str) -> str:
    return "has" if name.startswith("rank ") else "have"


def _fix(item: Difference) -> str:
    if item.aspect is Aspect.CODE:
        return (
            "Compare versions and settings of both ranks. Autotune on one rank and share the cache "
            "(TORCHINDUCTOR_CACHE_DIR), so all ranks use the same configurations."
        )
    if any(item.guards):
        return (
            "Make that value equal on all ranks, or move the code that depends on it out of the "
            "function."
        )
    return "Use the same input sizes, dtypes and model attributes on all ranks."


RULE = RankGraphsRule()
