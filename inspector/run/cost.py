"""What a graph break costs in a warm call."""

import dataclasses
import enum


class CostKind(enum.Enum):
    """Where a cost comes from."""

    MEASURED = "measured"
    COMPUTED = "computed"
    UNKNOWN = "unknown"


class Part(enum.Enum):
    """What is done between two compiled graphs."""

    GUARDS = "guards"
    RESUME = "resume bytecode"
    OPERATORS = "eager operators"
    PYTHON = "Python"
    WAITING = "waiting for the device"
    BACKWARD = "between backward graphs"


@dataclasses.dataclass(frozen=True, slots=True)
class TimeShare:
    """One part of the time outside of compiled graphs."""

    part: Part
    time_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one site per warm call.

    This is not the time that a fix would save.

    Attributes:
        kind: Where ``cost_ns`` comes from.
        cost_ns: Time per warm call outside of compiled graphs, plus that of memory traffic that
            fusion would avoid. None if unknown.
        outside_ns: Time outside of compiled graphs that belongs to this site alone.
        shares: Breakdown of the host time by activity. It sums to ``outside_ns`` unless the device
            was still busy.
        shared_ns: Time caused jointly by this site and others. It is saved only if all of them are
            fixed.
        shared_with: Other sites that cause ``shared_ns``, as ``file:line``.
        crossing_ns: Time to write and read ``fusible_bytes`` at the measured copy rate, or None if
            unknown.
        spread: Relative spread: the largest median of three parts of the calls by the smallest,
            minus 1.
        scale: Factor that corrects the measured times for profiler overhead; at most 1.
        call_ns: Median time of a warm call without the profiler, or None.
        is_whole_frame: Whether the frame has no graph, so that the cost covers the whole frame.
    """

    kind: CostKind
    cost_ns: int | None = None
    outside_ns: int | None = None
    shares: tuple[TimeShare, ...] = ()
    shared_ns: int = 0
    shared_with: tuple[str, ...] = ()
    crossing_bytes: int | None = None
    fusible_bytes: int | None = None
    crossing_ns: int | None = None
    executions_per_call: float | None = None
    calls: int = 0
    spread: float = 0.0
    scale: float = 1.0
    call_ns: int | None = None
    is_whole_frame: bool = False
    backend: str = ""
    note: str = ""
