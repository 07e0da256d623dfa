"""What a call takes where the allocator keeps memory, in a sentence of the profile's verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.findings.wording import duration
from inspector.model.fresh_memory import FRESH_SHARE
from inspector.profiles.budget import Budget
from inspector.profiles.faults import KEEPS_MEMORY
from inspector.profiles.gain import Gain
from inspector.profiles.kept import KeptCalls


def kept_lines(budget: Budget, gains: Sequence[Gain]) -> Iterator[str]:
    """How compiled compares with eager where nothing is new; nothing where nobody measured it.

    Args:
        budget: What calls take.
        gains: What could be won, which may say how memory is kept.
    """
    kept = budget.kept
    if kept is None or budget.eager_ns is None:
        return
    low, ratio, high = kept.faster
    both = f"{duration(round(kept.eager_ns))} → {duration(round(kept.wall_ns))}"
    if low <= 1 <= high:
        compares = (
            f"no faster and no slower beyond noise ({both}; {low:.2f} to {high:.2f} times as fast)"
        )
    elif ratio > 1:
        compares = f"{ratio:.2f} times as fast ({both}; {low:.2f} to {high:.2f})"
    else:
        compares = f"{1 / ratio:.2f} times as slow ({both}; {1 / high:.2f} to {1 / low:.2f})"
    yield f"{_new_memory(budget, kept)}; where the allocator keeps it, compiled is {compares}"
    if kept.is_chance:
        yield (
            "how much of a call is new is chance: another start of the program may have either "
            "ratio, one between them, or one further off"
        )
    if not any(KEEPS_MEMORY in gain.change for gain in gains):
        yield f"what keeps memory: {KEEPS_MEMORY}"


def _new_memory(budget: Budget, kept: KeptCalls) -> str:
    """How much of a call the system takes to give memory anew."""
    sides = (
        ("eager PyTorch's", budget.eager_ns or 0.0, kept.eager_ns),
        ("the compiled call's", budget.wall_ns, kept.wall_ns),
    )
    parts = [
        f"{duration(round(before - after))} of {whose} {duration(round(before))}"
        for whose, before, after in sides
        if before - after >= FRESH_SHARE * before
    ]
    if not parts:
        return "some of a call's memory is given anew by the system"
    are = "is" if len(parts) == 1 else "are"
    return f"{' and '.join(parts)} {are} memory that the system gives anew, page by page"
