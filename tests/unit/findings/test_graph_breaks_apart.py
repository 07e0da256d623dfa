"""Graph breaks keep apart what one kernel could compute."""

from __future__ import annotations

from inspector.events.graph_break import Cause
from inspector.findings.graph_breaks_apart import with_breaks
from inspector.findings.graph_report import FUSION, make_graph_report
from inspector.model.compilation import Frame
from inspector.model.cost import Cost, CostKind
from tests.unit.renderers import runs

CAUSE = Cause("Data-dependent branching", "Data-dependent branching", gb_id="GB0170")
FIRST = runs.break_at(runs.AT_BRANCH, CAUSE)
SECOND = runs.break_at(runs.IN_HELPER, CAUSE)


def cost(fusible_bytes: int | None) -> Cost:
    return Cost(CostKind.COMPUTED, crossing_bytes=4096, fusible_bytes=fusible_bytes)


def test_those_that_keep_most_apart_come_first() -> None:
    frame = Frame(0, "forward", runs.MODEL, 13, (runs.compilation(0, FIRST, SECOND, FIRST),))
    report = make_graph_report(runs.run_of(runs.process_of(frame)), FUSION)
    found = with_breaks(report, {FIRST.key: cost(1024), SECOND.key: cost(4096)})
    assert [record.key for record, _ in found.breaks] == [SECOND.key, FIRST.key]


def test_what_no_fusion_could_avoid_is_left_out() -> None:
    frame = Frame(0, "forward", runs.MODEL, 13, (runs.compilation(0, FIRST, SECOND),))
    report = make_graph_report(runs.run_of(runs.process_of(frame)), FUSION)
    assert with_breaks(report, {FIRST.key: cost(0), SECOND.key: cost(None)}).breaks == ()
    assert with_breaks(report, {}).breaks == ()
