"""A collection of models as JSON."""

from __future__ import annotations

from inspector.features.bench.collection_report import FORMAT_VERSION, CollectionReport, Measured
from inspector.features.bench.json import COMPUTED, OF_ROWS, ROW
from inspector.features.bench.rows import BenchRow
from inspector.report.json.common import COMMON
from inspector.report.json.encode import Scope, View, Views, tool_version


def _seconds(scope: Scope) -> float:
    """How long measuring it took."""
    return round(scope.of(Measured).seconds, 1)


VIEWS: Views = {
    **COMMON,
    **OF_ROWS,
    CollectionReport: View(
        """format_version kind tool_version versions< device sessions settings=summaries models
        notices""",
        format_version=FORMAT_VERSION,
        kind="bench-collection",
        tool_version=tool_version,
    ),
    Measured: View("name best=best.setting.label failure? seconds rows", seconds=_seconds),
    BenchRow: View(f"workload input inputs {ROW}", **COMPUTED),
}
