"""How the verdict of a profile tells of kept memory."""

from __future__ import annotations

from inspector.findings.kept_wording import kept_lines
from inspector.profiles.budget import make_budget
from inspector.profiles.faults import KEEPS_MEMORY
from inspector.profiles.gain import Gain
from inspector.profiles.kept import KeptCalls
from tests.unit.profiles.test_budget import PROFILE

SAID = Gain("memory is fresh", 10, f"an allocator that keeps it: {KEEPS_MEMORY}")


def said(low: float, ratio: float, high: float, *, is_chance: bool = False) -> str:
    kept = KeptCalls(1_000_000, 1_000_000 * ratio, (low, ratio, high), is_chance, is_shorter=True)
    return ". ".join(kept_lines(make_budget(PROFILE, kept), [SAID]))


def test_nothing_is_said_of_what_nobody_measured() -> None:
    assert list(kept_lines(make_budget(PROFILE), [])) == []


def test_the_other_ratio_is_told() -> None:
    before = "where the allocator keeps memory, "
    assert said(1.4, 1.5, 1.6) == f"{before}1.50 times as fast (1.5 ms → 1.0 ms; 1.40 to 1.60)"
    assert said(0.4, 0.5, 0.625) == f"{before}2.00 times as slow (500 µs → 1.0 ms; 1.60 to 2.50)"
    assert said(0.9, 1.1, 1.3) == (
        f"{before}no difference beyond noise (1.1 ms → 1.0 ms; 0.90 to 1.30 times as fast)"
    )
    assert said(1.4, 1.5, 1.6, is_chance=True).endswith(
        "1.60). which of the two another start of the program is like, or what between, is chance"
    )


def test_how_is_told_where_no_gain_does() -> None:
    kept = KeptCalls(1_000_000, 1_500_000, (1.4, 1.5, 1.6), is_chance=False, is_shorter=True)
    (line,) = kept_lines(make_budget(PROFILE, kept), [])
    assert f"(with {KEEPS_MEMORY})" in line
