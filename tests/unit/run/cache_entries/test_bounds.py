"""Which sizes the relations of an entry refuse, and which of those have no other entry."""

import pytest

from inspector.features.guards.next import next_changes
from inspector.features.guards.predict import FrameGuards
from inspector.records.recompiles import TensorFacts
from inspector.run.cache_entries.entry import Entry, index_of
from inspector.run.cache_entries.relation import telling
from inspector.run.cache_entries.state import state_after
from inspector.trace.compile_id import CompileId
from inspector.trace.guard_checks import Check, RelationCheck
from inspector.trace.guard_source import Origin
from inspector.trace.guard_trees import Guard, GuardTree
from inspector.trace.guards import DynamoSettings

X = "L['x'].size()[0]"
SIDE = f"129 <= {X}"


def known(source: str) -> int | None:
    return {X: 256, "L['y'].size()[0]": 256}.get(source)


@pytest.mark.parametrize(
    ("relations", "kept"),
    [
        ([SIDE], [SIDE]),
        # The same once more, in a longer spelling: one is enough.
        ([f"(1 % ((127 + {X}) // 128)) != 0", SIDE], [SIDE]),
        ([f"({X} % 8) == 0", SIDE], [SIDE, f"({X} % 8) == 0"]),
        # Two inputs that have one size change together.
        ([f"{X} == L['y'].size()[0]"], []),
        # Another side of the same condition refuses what this one does not.
        ([f"{X} <= 300", SIDE], [f"{X} <= 300", SIDE]),
        ([f"2 <= {X}", "L['z'].size()[0] <= 4"], []),
    ],
)
def test_the_shortest_relations_that_refuse_a_size(relations: list[str], kept: list[str]) -> None:
    assert sorted(telling(relations, X, known)) == sorted(kept)


def entry(number: int, size: int, relation: str = "") -> Entry:
    fixed = None if relation else size
    tensor = TensorFacts(
        "Tensor", ("CPU",), "torch.float32", None, requires_grad=False, size=(fixed,), stride=(1,)
    )
    checks: list[tuple[str, Check]] = [("L['x']", tensor)]
    if relation:
        checks += [("", RelationCheck(relation)), ("", RelationCheck(f"2 <= {X}"))]
    guards = tuple(
        Guard(0, "", source, source and "x", Origin.INPUT, check, "", None)
        for source, check in checks
    )
    symbols = {X: float(size)} if relation else {}
    compile_id = CompileId.parse(f"0/{number}") or CompileId(None, None)
    return Entry(compile_id, GuardTree((), guards, None, ()), guards, symbols, DynamoSettings())


def rows(*entries: Entry) -> list[str]:
    indexes = tuple(index_of(each.guards) for each in entries)
    frame = FrameGuards(
        entries,
        state_after(entries),
        DynamoSettings(),
        indexes=indexes,
        failing=((),) * len(entries),
    )
    return [item.text for item in next_changes(frame)]


def test_the_size_of_the_first_call_is_no_reason_to_leave_a_bound_out() -> None:
    text = "x.size(0) is dynamic as long as `129 <= x.size(0)`: 127 recompiles"

    assert text in rows(entry(0, 128), entry(1, 256, SIDE))


def test_where_there_is_an_entry_for_each_side_nothing_compiles() -> None:
    found = rows(entry(0, 128), entry(1, 256, SIDE), entry(2, 64, f"{X} <= 128"))

    assert not [text for text in found if "dynamic as long as" in text]
