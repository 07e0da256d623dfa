"""What calls take with kept memory, and how far that lets a ratio reach."""

from __future__ import annotations

import pytest

from inspector.benches.kept import by_chance, make_kept, reaching
from inspector.benches.ratio import Ratio
from inspector.events.bench import BenchBlock, InspectorBench

PAGE = {"touch_ns": 1_000, "free_ns": 250}


def event(what: str, *, faults: int = 0, ms: float = 0.0, number: int = 0) -> InspectorBench:
    """A block of two calls, or the count before memory is kept."""
    block = BenchBlock(number, 0, (round(1e6 * ms),) * 2, page_faults=2 * faults)
    return InspectorBench(
        what=what,
        combination=0,
        session=0,
        block=block if what == "block" else None,
        kept=block if what == "kept" else None,
        mapped_faults=faults if what == "keeps" else 0,
        fresh_page=PAGE if what == "fresh" else {},
    )


def process(
    faults: int, before_ms: float, *, mapped: int, left: int, after_ms: float
) -> list[InspectorBench]:
    """All that a process says: as it is, what large blocks need anew, and with kept memory."""
    return [
        *(event("block", faults=faults, ms=before_ms, number=number) for number in range(4)),
        event("fresh"),
        event("keeps", faults=mapped),
        *(event("kept", faults=left, ms=after_ms, number=number) for number in range(4)),
    ]


TRIMMED = process(6240, 30.0, mapped=0, left=0, after_ms=22.0)
MAPPED = process(6240, 30.0, mapped=6200, left=0, after_ms=22.0)
COMPILED = process(0, 10.0, mapped=0, left=0, after_ms=9.9)


def test_the_ratio_with_kept_memory_is_that_of_its_own_blocks() -> None:
    kept = make_kept(COMPILED, TRIMMED)
    assert kept is not None
    assert kept.faster is not None
    assert kept.faster.middle == pytest.approx(22.0 / 9.9, rel=1e-4)
    assert kept.medians == {(0, number): 9.9e6 for number in range(4)}
    eager = make_kept(TRIMMED, [])
    assert eager is not None
    assert eager.faster is None


def test_what_does_not_keep_its_memory_says_nothing_of_kept_memory() -> None:
    other_allocator = process(6240, 30.0, mapped=6240, left=6240, after_ms=30.0)
    assert make_kept(other_allocator, []) is None
    assert make_kept(COMPILED, other_allocator) is None
    assert make_kept([event("block", faults=9, ms=1.0)], TRIMMED) is None  # nobody measured it


def test_what_lies_on_top_of_the_heap_is_chance_and_large_blocks_are_not() -> None:
    assert by_chance(TRIMMED)
    assert not by_chance(MAPPED)
    assert not by_chance(COMPILED)
    assert not by_chance([])
    little = process(400, 30.0, mapped=0, left=0, after_ms=29.6)  # 0.5 of 30 ms
    assert not by_chance(little)


def test_an_interval_reaches_to_where_memory_is_kept_and_the_ratio_stays() -> None:
    faster, kept = Ratio(3.1, 3.2, 3.3), Ratio(2.3, 2.35, 2.4)
    assert reaching(faster, kept) == Ratio(2.3, 3.2, 3.3)
    assert reaching(kept, faster) == Ratio(2.3, 2.35, 3.3)
