"""What a graph break costs in a warm call."""

from __future__ import annotations

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
        cost_ns: Time outside of graphs plus the time to write and read again what fusion would
            have kept in registers; None where nobody knows.
        outside_ns: Time outside of compiled graphs that belongs to this site alone.
        shares: What it consists of on the host. They add up to ``outside_ns``, unless a device
            worked on meanwhile, or still works when the host is done.
        shared_ns: Time that belongs to this site and to others: it ends when all of them do.
        shared_with: Those others, as ``file:line``.
        crossing_bytes: What graphs write and graphs behind the break read, or None.
        fusible_bytes: That part of it which need not be written without the break, or None.
        crossing_ns: Time to write and read those, at the measured copy rate, or None.
        executions_per_call: How often it is reached in a warm call, or None.
        calls: Number of warm calls that were measured.
        spread: How far the medians of thirds of these calls differ at most, the largest by the
            smallest less 1.
        scale: What the times were multiplied with, because the calls took longer under the
            profiler than without it, beyond what it is known to add.
        call_ns: Median time of a warm call without the profiler, or None.
        is_whole_frame: Whether the frame has no graph, so that the time is all of the frame's.
        note: What limits the figure, in one sentence, or an empty string.
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
