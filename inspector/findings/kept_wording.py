"""What a call takes where the allocator keeps memory, in a sentence of the profile's verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.findings.wording import duration
from inspector.profiles.budget import Budget
from inspector.profiles.faults import KEEPS_MEMORY
from inspector.profiles.gain import Gain

__all__ = ["kept_lines"]


def kept_lines(budget: Budget, gains: Sequence[Gain]) -> Iterator[str]:
    """How compiled compares with eager where nothing is new; nothing where nobody measured it.

    Args:
        budget: What calls take.
        gains: What could be won, which may say how memory is kept.
    """
    kept = budget.kept
    if kept is None:
        return
    low, ratio, high = kept.faster
    both = f"{duration(round(kept.eager_ns))} → {duration(round(kept.wall_ns))}"
    if low <= 1 <= high:
        compares = f"no difference beyond noise ({both}; {low:.2f} to {high:.2f} times as fast)"
    elif ratio > 1:
        compares = f"{ratio:.2f} times as fast ({both}; {low:.2f} to {high:.2f})"
    else:
        compares = f"{1 / ratio:.2f} times as slow ({both}; {1 / high:.2f} to {1 / low:.2f})"
    is_said = any(KEEPS_MEMORY in gain.change for gain in gains)
    how = "" if is_said else f" (with {KEEPS_MEMORY})"
    yield f"where the allocator keeps memory{how}, {compares}"
    if kept.is_chance:
        yield "which of the two another start of the program is like, or what between, is chance"
