"""What cannot be in a cache, against a cache that is simulated."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from inspector.features.profile.reuse import bytes_from_memory

BUFFERS = {"a": 10, "b": 20, "c": 30, "d": 40}
STEPS = st.lists(
    st.sets(st.sampled_from(sorted(BUFFERS)), min_size=1).map(
        lambda names: {name: BUFFERS[name] for name in sorted(names)}
    ),
    min_size=1,
    max_size=8,
)


def simulated(traffic: Sequence[Mapping[str, int]], cache_bytes: int) -> list[int]:
    """A cache of whole buffers that drops what was used longest ago, in the second round."""
    kept: OrderedDict[str, int] = OrderedDict()
    found = []
    for number, step in enumerate([*traffic, *traffic]):
        missed = 0
        for name, size in step.items():
            if name not in kept:
                missed += size
        for name, size in step.items():
            kept.pop(name, None)
            kept[name] = size
        while sum(kept.values()) > cache_bytes:
            kept.popitem(last=False)
        if number >= len(traffic):
            found.append(missed)
    return found


def test_a_chain_stays_in_the_cache_and_a_large_call_does_not() -> None:
    chain = [{"x": 10, "y": 10}, {"y": 10, "z": 10}]
    assert bytes_from_memory(chain, 1000) == [0, 0]
    assert bytes_from_memory(chain, 15) == [20, 10]  # the last of a step is there for the next
    assert bytes_from_memory(chain, 0) == [20, 20]


@given(STEPS, st.integers(0, 120))
def test_a_real_cache_misses_no_more_than_is_said(
    traffic: list[dict[str, int]], cache_bytes: int
) -> None:
    """Reuse is counted in bytes that moved: what moved twice is in a cache once."""
    said = bytes_from_memory(traffic, cache_bytes)
    real = simulated(traffic, cache_bytes)
    assert all(below <= above for below, above in zip(real, said, strict=True))
