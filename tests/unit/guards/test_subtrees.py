from __future__ import annotations

import dataclasses
from pathlib import Path

from inspector.events.guards import InspectorGuardCosts, SubtreeCost
from inspector.guards.entry import entries_of
from inspector.guards.subtrees import Subtree, subtrees_of
from inspector.model.compilation import Compilation
from inspector.sources.recording import opened, read_run

TRACE = Path(__file__).parent / "torch_2_13.log"


def subtrees(*costs: SubtreeCost) -> tuple[Subtree, ...]:
    with opened(TRACE) as recording:
        frame = read_run(recording).processes[0].frames[0]
        *_, entry = entries_of(frame)
    found = InspectorGuardCosts(900, costs, copy_ns=1000) if costs else None
    compilations: list[Compilation] = [
        dataclasses.replace(item, guard_costs=found) for item in frame.compilations
    ]
    return subtrees_of("forward", compilations, entry)


def test_a_child_with_most_of_its_parent_stands_for_it() -> None:
    found = subtrees(
        SubtreeCost("L['self']", "", 800),
        SubtreeCost("L['x']", "", 100),
        SubtreeCost("L['self']._modules", "L['self']", 790),
        SubtreeCost("L['self']._modules['layers']", "L['self']._modules", 300),
        SubtreeCost("L['self']._modules['drop']", "L['self']._modules", 350),
    )
    assert [(item.name, item.time_ns, item.share) for item in found] == [
        ("self", 790, 0.79),
        ("x", 100, 0.1),
    ]


def test_a_source_below_itself_is_told_once() -> None:
    found = subtrees(SubtreeCost("G", "", 10), SubtreeCost("G", "G", 9))
    assert [item.name for item in found] == ["globals"]


def test_without_times_the_number_of_guards_ranks() -> None:
    found = subtrees()
    assert all(item.time_ns is None and item.share is None for item in found)
    counts = [item.guards for item in found]
    assert counts == sorted(counts, reverse=True)
    assert "self.layers" in {item.name for item in found}
