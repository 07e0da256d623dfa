"""The peak of hand-made calls, against counting at every moment."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.features.profile.peak import find_peak, in_pools
from inspector.records.memory_profile import HeldBlock, MemoryEvent, Segment

ADDRESSES = st.integers(1, 6)
EVENTS = st.lists(
    st.tuples(ADDRESSES, st.integers(1, 9), st.booleans()).map(
        lambda item: MemoryEvent(item[0], item[1] if item[2] else -item[1])
    ),
    max_size=30,
)
HELD = st.lists(
    st.builds(HeldBlock, ADDRESSES, st.integers(1, 9)), unique_by=lambda block: block.address
)


def levels(held: list[HeldBlock], events: list[MemoryEvent]) -> list[dict[int, int]]:
    """What is allocated at every moment: bytes by address."""
    live = {block.address: block.bytes_ for block in held}
    found = [dict(live)]
    for event in events:
        live.pop(event.address, None)
        if event.bytes_ > 0:
            live[event.address] = event.bytes_
        found.append(dict(live))
    return found


@given(HELD, EVENTS)
def test_the_peak_is_the_largest_of_all_moments(
    held: list[HeldBlock], events: list[MemoryEvent]
) -> None:
    peak = find_peak(held, events)
    moments = levels(held, events)
    totals = [sum(moment.values()) for moment in moments]
    assert peak.added_bytes == max(totals) - totals[0]
    assert peak.at == totals.index(max(totals)) - 1
    live = {events[number].address: events[number].bytes_ for number in peak.live}
    live |= {held[number].address: held[number].bytes_ for number in peak.held}
    assert live == moments[peak.at + 1]


def test_addresses_are_in_pools_by_their_segment() -> None:
    segments = [Segment(100, 50, is_pool=True), Segment(10, 20)]
    assert in_pools(segments, [10, 29, 30, 99, 100, 149, 150, 5]) == [
        False, False, False, False, True, True, False, False,
    ]  # fmt: skip
