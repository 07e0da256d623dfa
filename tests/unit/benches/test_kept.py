"""What calls take with kept memory, and how far that lets a ratio reach."""

from __future__ import annotations

import math

import pytest

from inspector.benches.kept import KeptMemory, by_chance, make_kept, page_ns, reaching
from inspector.benches.ratio import Ratio
from inspector.events.bench import BenchBlock, InspectorBench

PAGE = {"touch_ns": 1_000, "free_ns": 250}
EACH_NS = 1_250


def event(
    what: str, *, faults: int = 0, ms: float = 0.0, number: int = 0, session: int = 0
) -> InspectorBench:
    """A block of two calls, or the count before memory is kept."""
    block = BenchBlock(number, 0, (round(1e6 * ms),) * 2, page_faults=2 * faults)
    return InspectorBench(
        what=what,
        combination=0,
        session=session,
        block=block if what == "block" else None,
        kept=block if what == "kept" else None,
        mapped_faults=faults if what == "keeps" else 0,
        fresh_page=PAGE if what == "fresh" else {},
    )


def process(  # noqa: PLR0913 - what one measures
    faults: int, before_ms: float, *, mapped: int, left: int, after_ms: float, session: int = 0
) -> list[InspectorBench]:
    """All that a process says: as it is, what large blocks need anew, and with kept memory."""

    def blocks(what: str, pages: int, ms: float) -> list[InspectorBench]:
        of = {"faults": pages, "session": session}
        return [event(what, ms=ms, number=number, **of) for number in range(4)]

    return [
        *blocks("block", faults, before_ms),
        event("fresh", session=session),
        event("keeps", faults=mapped, session=session),
        *blocks("kept", left, after_ms),
    ]


TRIMMED = process(6240, 30.0, mapped=0, left=0, after_ms=22.0)
MAPPED = process(6240, 30.0, mapped=6200, left=0, after_ms=22.0)
COMPILED = process(0, 10.0, mapped=0, left=0, after_ms=9.9)


def made(mine: list[InspectorBench], eager: list[InspectorBench]) -> KeptMemory | None:
    return make_kept(mine, eager, (EACH_NS, EACH_NS))


def test_the_ratio_with_kept_memory_is_that_of_its_own_blocks() -> None:
    kept = made(COMPILED, TRIMMED)
    assert kept is not None
    assert kept.faster is not None
    assert kept.faster.middle == pytest.approx(22.0 / 9.9, rel=1e-4)
    assert kept.medians == {(0, number): 9.9e6 for number in range(4)}
    eager = made(TRIMMED, [])
    assert eager is not None
    assert eager.faster is None


def test_what_does_not_keep_its_memory_says_nothing_of_kept_memory() -> None:
    other_allocator = process(6240, 30.0, mapped=6240, left=6240, after_ms=30.0)
    assert made(other_allocator, []) is None
    assert made(COMPILED, other_allocator) is None
    assert made([event("block", faults=9, ms=1.0)], TRIMMED) is None  # nobody measured it


def timed_alone(found: list[InspectorBench]) -> list[InspectorBench]:
    """What a session says whose calls were not timed with kept memory."""
    return [each for each in found if each.what != "kept"]


def test_a_session_that_keeps_its_memory_by_itself_counts_as_it_is() -> None:
    by_itself = timed_alone(process(40, 21.0, mapped=0, left=0, after_ms=0.0, session=1))
    compiled = timed_alone(process(0, 10.5, mapped=0, left=0, after_ms=0.0, session=1))
    kept = made([*COMPILED, *compiled], [*TRIMMED, *by_itself])
    assert kept is not None
    assert {session for session, _ in kept.medians} == {0, 1}
    assert kept.medians[1, 0] == 10.5e6
    assert kept.faster is not None
    assert kept.faster.middle == pytest.approx((22.0 / 9.9 * 21.0 / 10.5) ** 0.5, rel=1e-4)


def test_of_fewer_sessions_than_were_timed_nothing_is_told() -> None:
    second = process(6240, 30.0, mapped=0, left=0, after_ms=22.0, session=1)
    assert made([*TRIMMED, *second], []) is not None
    assert made([*TRIMMED, *timed_alone(second)], []) is None  # its process ended before
    assert made(COMPILED, [*TRIMMED, *timed_alone(second)]) is None


def test_what_lies_on_top_of_the_heap_is_chance_and_large_blocks_are_not() -> None:
    assert by_chance(TRIMMED, EACH_NS)
    assert not by_chance(MAPPED, EACH_NS)
    assert not by_chance(COMPILED, EACH_NS)
    assert not by_chance([], EACH_NS)
    assert not by_chance(TRIMMED, 0)  # nobody knows what a page takes
    little = process(400, 30.0, mapped=0, left=0, after_ms=29.6)  # 0.5 of 30 ms
    assert not by_chance(little, EACH_NS)
    half = process(6240, 30.0, mapped=3100, left=0, after_ms=22.0)  # the rest every start has
    assert not by_chance(half, EACH_NS)


def test_one_session_in_three_shows_the_chance() -> None:
    others = [
        found
        for session in (1, 2)
        for found in process(0, 22.0, mapped=0, left=0, after_ms=22.0, session=session)
    ]
    assert by_chance([*TRIMMED, *others], EACH_NS)


def test_what_a_page_takes_is_the_median_of_all_that_looked() -> None:
    assert page_ns(TRIMMED) == EACH_NS
    assert page_ns([event("block", ms=1.0)]) == 0


def logs(*sessions: tuple[float, ...]) -> dict[int, list[float]]:
    return {number: [math.log(ratio) for ratio in rounds] for number, rounds in enumerate(sessions)}


def with_kept_memory(faster: Ratio, *sessions: tuple[float, ...]) -> KeptMemory:
    return KeptMemory({}, faster, logs(*sessions))


def test_an_interval_has_all_sessions_in_it_and_kept_memory() -> None:
    measured = Ratio(0.04, 19.0, 9000.0)  # Student's t of such sessions says nothing
    sessions = logs((20.0, 20.0), (1.4, 1.4), (19.0, 19.0))
    kept = with_kept_memory(Ratio(1.2, 1.32, 1.45), (1.3, 1.3), (1.35, 1.35))
    found = reaching(measured, sessions, kept)
    assert found is not None
    assert (found.low, found.middle, found.high) == pytest.approx((1.2, 19.0, 20.0))
    unknown = with_kept_memory(Ratio(0.3, 1.32, 9.0), (1.3, 1.3), (1.35, 1.35))
    found = reaching(measured, sessions, unknown)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((1.3, 20.0))


def test_what_is_known_by_sessions_alone_is_never_cut_off() -> None:
    kept = with_kept_memory(Ratio(1.3, 1.5, 1.8), (1.5, 1.5))
    found = reaching(Ratio(2.3, 2.5, 2.8), logs((2.5, 2.5), (2.55, 2.55)), kept)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((1.3, 2.8))


def test_an_interval_reaches_as_much_further_as_rounds_leave_open() -> None:
    kept = with_kept_memory(Ratio(0.4, 1.0, 2.5), (1.9, 2.1))
    found = reaching(Ratio(0.4, 2.0, 9.0), logs((1.9, 2.1), (1.9, 2.1)), kept)
    middle = math.sqrt(1.9 * 2.1)
    error = math.log(2.1 / 1.9) / math.sqrt(2) / math.sqrt(2)  # deviation of two, by their root
    reach = math.exp(math.sqrt(2) * 2.228 * error)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((middle / reach, middle * reach))


def test_nothing_reaches_further_where_no_other_run_has_kept_memory() -> None:
    measured = Ratio(3.1, 3.2, 3.3)
    assert reaching(measured, logs((3.2,)), None) == measured
    assert reaching(None, {}, with_kept_memory(measured, (3.2,))) is None
