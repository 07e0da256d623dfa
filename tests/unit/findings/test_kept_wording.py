"""How the verdict of a profile tells of kept memory."""

from __future__ import annotations

import dataclasses

from inspector.findings.kept_wording import kept_lines
from inspector.profiles.budget import make_budget
from inspector.profiles.faults import KEEPS_MEMORY
from inspector.profiles.gain import Gain
from inspector.profiles.kept import KeptCalls
from tests.unit.profiles.test_budget import PROFILE

SAID = Gain("memory is fresh", 10, f"an allocator that keeps it: {KEEPS_MEMORY}")


NEW = "memory that the system gives anew, page by page; where the allocator keeps it, compiled is "


def said(
    low: float, ratio: float, high: float, *, before_ns: tuple[int, int], is_chance: bool = False
) -> list[str]:
    """With kept memory a compiled call takes 1 ms; `before_ns` are the times as they are."""
    eager_ns, wall_ns = before_ns
    kept = KeptCalls(1_000_000, 1_000_000 * ratio, (low, ratio, high), is_chance, is_shorter=True)
    budget = dataclasses.replace(make_budget(PROFILE, kept), eager_ns=eager_ns, wall_ns=wall_ns)
    return list(kept_lines(budget, [SAID]))


def test_nothing_is_said_of_what_nobody_measured() -> None:
    assert list(kept_lines(make_budget(PROFILE), [])) == []


def test_both_are_told_with_what_makes_the_difference() -> None:
    (faster,) = said(1.4, 1.5, 1.6, before_ns=(4_000_000, 1_200_000))
    assert faster == (
        "2.5 ms of eager PyTorch's 4.0 ms and 200 µs of the compiled call's 1.2 ms are "
        f"{NEW}1.50 times as fast (1.5 ms → 1.0 ms; 1.40 to 1.60)"
    )
    (slower,) = said(0.4, 0.5, 0.625, before_ns=(2_000_000, 1_010_000))
    assert slower == (
        f"1.5 ms of eager PyTorch's 2.0 ms is {NEW}2.00 times as slow "
        "(500 µs → 1.0 ms; 1.60 to 2.50)"
    )
    (unclear,) = said(0.9, 1.1, 1.3, before_ns=(1_100_000, 1_000_000))
    assert unclear == (
        "some of a call's memory is given anew by the system; where the allocator keeps it, "
        "compiled is no faster and no slower beyond noise (1.1 ms → 1.0 ms; 0.90 to 1.30 times as "
        "fast)"
    )


def test_what_another_start_may_have_is_told_where_it_is_chance() -> None:
    _, chance = said(1.4, 1.5, 1.6, before_ns=(4_000_000, 1_000_000), is_chance=True)
    assert chance.startswith("how much of a call is new is chance")
    assert chance.endswith("one further off")


def test_how_is_told_where_no_gain_does() -> None:
    kept = KeptCalls(1_000_000, 1_500_000, (1.4, 1.5, 1.6), is_chance=False, is_shorter=True)
    *_, how = kept_lines(make_budget(PROFILE, kept), [])
    assert how == f"what keeps memory: {KEEPS_MEMORY}"
