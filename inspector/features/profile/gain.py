"""Time that need not be."""

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Gain:
    """Time that could be saved.

    Attributes:
        what: What takes the time, in one sentence without a full stop.
        time_ns: The time of a call that would be won at most.
        change: What to change.
        is_hidden: Whether it saves no time while the call waits for the host.
        is_known: Whether anything is known that wins it: else it says what takes the time.
    """

    what: str
    time_ns: float
    change: str
    is_hidden: bool = False
    is_known: bool = True
