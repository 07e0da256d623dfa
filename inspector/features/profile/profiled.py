"""What is known of the warm calls with one input."""

import dataclasses
import statistics
from collections.abc import Iterator, Mapping

from inspector.features.profile.budget import Budget, busy
from inspector.features.profile.gain import Gain
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.memory.memory import MemoryUse
from inspector.features.profile.rounds import of_typical_calls
from inspector.features.profile.slowdown import Slowdown, make_slowdown
from inspector.records.ceilings import DeviceState
from inspector.records.device_profile import DeviceProfile


@dataclasses.dataclass(frozen=True, slots=True)
class Profiled:
    """The warm calls with one input.

    Attributes:
        profile: What was recorded.
        budget: Where the time of a call goes.
        work: Statements and operators of a call with their times, in order.
        by_line: Nanoseconds of a call by the user's file and line, the most first.
        by_operator: Time per call by ATen operator, before decompositions.
        by_module: Time per call by path of the innermost module; repeated layers are combined.
        code: The text of those lines that are known.
        gains: Possible gains, largest first.
        state: Clocks and power of the GPU before and after it, or None.
        memory: Memory allocated by a call, or None if unknown.
        graphs: How many graphs were compiled.
        breaks: The lines that graphs break at: ``model.py:13``.
        limited: That functions run as in eager PyTorch, because they were compiled too often.
        is_grad_idle: Whether graphs keep what a backward pass needs, and none is asked for.
    """

    profile: DeviceProfile
    budget: Budget
    work: tuple[KernelTiming, ...]
    by_line: Mapping[tuple[str, int], float]
    by_operator: Mapping[str, float]
    by_module: Mapping[str, float]
    code: Mapping[tuple[str, int], str]
    gains: tuple[Gain, ...]
    state: DeviceState | None = None
    memory: MemoryUse | None = None
    graphs: int = 0
    breaks: tuple[str, ...] = ()
    limited: str = ""
    is_grad_idle: bool = False

    @property
    def slowdown(self) -> Slowdown | None:
        """Breakdown of the time difference between compiled and eager calls, or None if unknown."""
        return make_slowdown(self.profile, self.budget)

    @property
    def is_cpu(self) -> bool:
        """Whether it ran on the CPU."""
        return self.profile.is_cpu

    @property
    def files(self) -> Iterator[str]:
        """The files of the user's lines, also several times."""
        yield from (file for file, _ in self.by_line)
        yield from (line.file for item in self.work for line in item.lines)

    @property
    def work_ns(self) -> float:
        """The time of all work of a call."""
        return sum(item.time_ns for item in self.work)

    @property
    def launches(self) -> int:
        """Number of kernel launches and library calls per call; on a GPU, of all its work."""
        return sum(len(item.launches) if not self.is_cpu else item.is_launch for item in self.work)

    @property
    def operators(self) -> int:
        """Number of operators per call outside of compiled graphs; 0 on a GPU."""
        return sum(item.is_operator for item in self.work)

    @property
    def outside_ns(self) -> float:
        """Time per call that no statement and no operator accounts for; 0 on a GPU."""
        if not self.is_cpu or not self.work:
            return 0.0
        # In the calls that the tables are about: of each what its spans leave.
        calls = of_typical_calls(self.profile, self.budget.wall_ns).calls
        left = [max(0, call.wall_ns - busy(call)) for call in calls]
        return statistics.fmean(left) if left else 0.0

    @property
    def whole_ns(self) -> float:
        """What shares are of: the time of all work; on the CPU, of the whole call."""
        return self.work_ns + self.outside_ns

    @property
    def attributed(self) -> float:
        """Share of the time that is attributed to user lines, from 0 to 1."""
        known = sum(item.time_ns for item in self.work if item.lines)
        return known / self.whole_ns if self.whole_ns else 0.0
