from __future__ import annotations

import dataclasses
from pathlib import Path

from inspector.features.guards.subtrees import Subtree, subtrees_of
from inspector.records.recompiles import GuardCosts, SubtreeCost
from inspector.run.cache_entries.entry import entries_of
from inspector.run.compilation import Compilation
from inspector.run.sources.recording import opened, read_run

TRACE = Path(__file__).parents[2] / "data" / "guards" / "torch_2_13.log"


def subtrees(*costs: SubtreeCost) -> tuple[Subtree, ...]:
    with opened(TRACE) as recording:
        frame = read_run(recording).processes[0].frames[0]
        *_, entry = entries_of(frame)
    found = GuardCosts(900, costs, copy_ns=1000)
    compilations: list[Compilation] = [
        dataclasses.replace(item, guard_costs=found) for item in frame.compilations
    ]
    return subtrees_of("forward", compilations, entry)


def test_a_large_part_is_told_as_its_own_parts() -> None:
    found = subtrees(
        SubtreeCost("L['self']", "", 800),
        SubtreeCost("L['x']", "", 100),
        SubtreeCost("L['self']._modules", "L['self']", 790),
        SubtreeCost("L['self']._modules['layers']", "L['self']._modules", 300),
        SubtreeCost("L['self']._modules['drop']", "L['self']._modules", 350),
    )
    assert [(item.name, item.time_ns, item.share) for item in found] == [
        ("self.drop", 350, 0.35),
        ("self.layers", 300, 0.3),
        ("x", 100, 0.1),
    ]


def test_what_is_numbered_alike_is_one_part() -> None:
    layers = "L['self']._modules['layers']._modules"
    found = subtrees(
        SubtreeCost("L['self']", "", 800),
        SubtreeCost(f"{layers}[*]", "L['self']", 790),
        SubtreeCost(f"{layers}[*]._parameters['weight']", f"{layers}[*]", 400),
        SubtreeCost(f"{layers}[*]._parameters['bias']", f"{layers}[*]", 300),
    )
    assert [item.name for item in found] == ["self.layers[*].weight", "self.layers[*].bias"]
    assert all(item.guards > 1 for item in found)


def test_a_part_that_its_own_parts_do_not_explain_stays_whole() -> None:
    part = SubtreeCost("L['self']", "", 800)
    assert [item.name for item in subtrees(part, SubtreeCost("L['self'].a", "L['self']", 100))] == [
        "self"
    ]
    # A source can be below itself.
    found = subtrees(SubtreeCost("G", "", 10), SubtreeCost("G", "G", 9))
    assert [item.name for item in found] == ["globals"]
