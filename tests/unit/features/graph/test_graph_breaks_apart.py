"""Graph breaks keep apart what one kernel could compute."""

from __future__ import annotations

from inspector.features.graph.not_fused import split_by_breaks
from inspector.run.compilation import Frame
from inspector.run.cost import Cost, CostKind
from inspector.trace.graph_break import Cause
from tests.unit.render import runs

CAUSE = Cause("Data-dependent branching", "Data-dependent branching", gb_id="GB0170")
FIRST = runs.break_at(runs.AT_BRANCH, CAUSE)
SECOND = runs.break_at(runs.IN_HELPER, CAUSE)


def cost(fusible_bytes: int | None) -> Cost:
    return Cost(CostKind.COMPUTED, crossing_bytes=4096, fusible_bytes=fusible_bytes)


def test_those_that_keep_most_apart_come_first() -> None:
    frame = Frame(0, "forward", runs.MODEL, 13, (runs.compilation(0, FIRST, SECOND, FIRST),))
    run = runs.run_of(runs.process_of(frame))
    found = split_by_breaks(run, {FIRST.key: cost(1024), SECOND.key: cost(4096)})
    assert [item.record.key for item in found] == [SECOND.key, FIRST.key]


def test_what_no_fusion_could_avoid_is_left_out() -> None:
    frame = Frame(0, "forward", runs.MODEL, 13, (runs.compilation(0, FIRST, SECOND),))
    run = runs.run_of(runs.process_of(frame))
    assert split_by_breaks(run, {FIRST.key: cost(0), SECOND.key: cost(None)}) == ()
    assert split_by_breaks(run, {}) == ()
