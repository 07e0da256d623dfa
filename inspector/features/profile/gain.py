"""Time that need not be, and how many more of something there are."""

import dataclasses
from collections.abc import Sequence

_MOST_NAMED = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Gain:
    """Time that could be saved.

    Attributes:
        what: What takes the time, in one sentence without a full stop.
        time_ns: Upper bound on the time saved per call.
        change: What to change.
        is_hidden: Whether it saves no time as long as the device waits for the host.
        is_known: Whether a change that saves the time is known; otherwise the entry only explains
            what takes the time.
    """

    what: str
    time_ns: float
    change: str
    is_hidden: bool = False
    is_known: bool = True


def and_more(number: int, names: Sequence[object]) -> str:
    """`` and 2 more`` behind the first names; empty where there are no others."""
    return f" and {len(names) - number} more" if len(names) > number else ""


def first_names(names: Sequence[str], most: int = _MOST_NAMED) -> str:
    """``mul, add, sin and 2 more``."""
    return f"{', '.join(names[:most])}{and_more(most, names)}"
