"""Ranks as JSON."""

from inspector.features.ranks.differences import Difference
from inspector.features.ranks.report import (
    FORMAT_VERSION,
    OtherOrder,
    Rank,
    RankCompilation,
    RankRow,
    RanksReport,
)
from inspector.features.ranks.wording import function_name
from inspector.report.json.common import COMMON
from inspector.report.json.encode import Scope, View, Views, tool_version


def _functions(scope: Scope) -> list[str | None]:
    """Function that each group calls there, or null if it makes no further call."""
    return [None if row is None else function_name(row) for row in scope.of(OtherOrder).rows]


VIEWS: Views = {
    **COMMON,
    RanksReport: View(
        """format_version kind tool_version recording=run.meta:recording ranks compilations=rows
        other_order? findings next_steps""",
        format_version=FORMAT_VERSION,
        kind="ranks",
        tool_version=tool_version,
    ),
    Rank: View(
        """process name compilations graph_breaks compile_time_ns wait_ns begin_ns cache_hits
        cache_misses"""
    ),
    RankRow: View(
        """name=frame.name file=~frame.file line=frame.first_line number compilations missing
        differences wait_ns"""
    ),
    RankCompilation: View("process compile_id start_ns time_ns run_ns collectives_ns"),
    OtherOrder: View("call groups functions", functions=_functions),
    Difference: View("aspect groups shown guards line=line.line? keys"),
}
