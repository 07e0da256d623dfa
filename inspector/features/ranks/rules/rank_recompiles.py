"""Ranks that compile a function more often than others, which wait for them."""

from collections.abc import Iterator

from inspector.features.ranks.report import RankRow, RanksReport
from inspector.features.ranks.wording import ranks
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration
from inspector.run.compilation import Compilation
from inspector.run.run import Run

_MOST_REASONS = 3
_SIZES = (
    "Use the same sizes on all ranks (pad or bucket), or mark the changing size as dynamic before "
    "the first call."
)
_VALUES = "Make the guarded value equal on all ranks."
_CALLS = "Call the function on all ranks, or at a point where no rank waits for it."
_EXCHANGE = (
    "Set TORCH_COMPILER_COLLECTIVES=1, so ranks exchange input sizes while they compile. All ranks "
    "must compile at the same time."
)


class RankRecompilesRule(Rule[RanksReport, Finding]):
    """Some ranks compile a function more often than others."""

    id = "rank-recompiles"
    severity = Severity.WARNING

    def check(self, report: RanksReport) -> Iterator[Finding]:
        """One finding per code object."""
        found: dict[object, list[RankRow]] = {}
        for row in report.rows:
            if row.missing:
                found.setdefault((row.place(report.run), row.missing), []).append(row)
        for rows in found.values():
            yield self._finding(report.run, rows)

    def _finding(self, run: Run, rows: list[RankRow]) -> Finding:
        row = rows[0]
        have = [item.process for item in row.compilations]
        wait_ns = sum(item.slowest.time_ns for item in rows)
        others = ranks(run, row.missing)
        more = (
            f"{count(len(rows), 'more time')} than on {others}"
            if row.number
            else f"{count(len(rows), 'time')}, but never on {others}"
        )
        reasons = list(_reasons(rows))
        is_size = any("size mismatch" in reason for reason in reasons)
        return Finding(
            **self.at(run, row.place(run)),
            message=f"{ranks(run, have)}: {row.frame.name} is compiled {more}; the other ranks "
            f"wait up to {duration(wait_ns)} (estimate)",
            why="; ".join(reasons) or "only these ranks call the function",
            fix=_SIZES if is_size else _VALUES if reasons else _CALLS,
            alternatives=(_EXCHANGE,) if is_size else (),
            records=len(rows),
            evidence="compilation_metrics",
            processes=tuple(have),
        )


def _reasons(rows: list[RankRow]) -> Iterator[str]:
    found = dict.fromkeys(_reason(row.compilations[0].compilation) for row in rows)
    yield from [reason for reason in found if reason][:_MOST_REASONS]


def _reason(compilation: Compilation) -> str:
    """The guard that failed in the nearest cache entry, else in the newest one."""
    if compilation.recompile is not None and compilation.recompile.guard:
        return compilation.recompile.guard
    newest = next(iter(compilation.recompile_reasons), "")
    return newest.partition(": ")[2].partition("#")[0].strip()


RULE = RankRecompilesRule()
