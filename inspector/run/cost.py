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
    """What one site costs per warm call; never what mending it would gain.

    Attributes:
        cost_ns: Time outside of graphs, plus that of writing and reading what fusion would keep.
        outside_ns: Time outside of compiled graphs that belongs to this site alone.
        shares: What it is on the host: adds up to ``outside_ns`` unless a device worked on.
        shared_ns: Time that belongs to this site and to others: it ends when all of them do.
        shared_with: Those others, as ``file:line``.
        crossing_ns: Time to write and read those, at the measured copy rate, or None.
        spread: How far the medians of thirds of these calls differ: largest by smallest less 1.
        scale: What the times were multiplied with, as calls took longer under the profiler.
        call_ns: Median time of a warm call without the profiler, or None.
        is_whole_frame: Whether the frame has no graph, so that the time is all of the frame's.
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
