"""Time that need not be."""

import dataclasses


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
