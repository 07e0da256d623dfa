"""What makes compiled calls slower than eager ones: the difference, by cause; it adds up."""

import dataclasses
import statistics
from collections.abc import Iterator, Mapping

from inspector.features.profile.budget import Budget, busy_of_kernels
from inspector.records.device_profile import DeviceProfile

WORK, COPIES, LAUNCHES = "work", "copies", "launches"
# Eager PyTorch launches from the program's own code: apart, the two cannot be compared.
_LAUNCHING = frozenset({"launching", "outside"})


@dataclasses.dataclass(frozen=True, slots=True)
class SlowdownPart:
    """One part of the time difference.

    Attributes:
        cause: Cause: ``work``, ``copies``, or a cause of idle time as in ``idle_by_cause_ns``. On a
            GPU, ``launches`` combines ``launching`` and ``outside``.
        compiled_ns: Time per compiled call.
        eager_ns: Time per eager call.
    """

    cause: str
    compiled_ns: float
    eager_ns: float

    @property
    def more_ns(self) -> float:
        """Compiled time minus eager time of this part."""
        return self.compiled_ns - self.eager_ns


@dataclasses.dataclass(frozen=True, slots=True)
class Slowdown:
    """Slowdown of a compiled call relative to an eager one.

    Attributes:
        whole_ns: Compiled time minus eager time per call.
        parts: Parts of the difference: first the device's work, then the causes of its idle time,
            largest difference first.
    """

    whole_ns: float
    parts: tuple[SlowdownPart, ...]

    @property
    def rest_ns(self) -> float:
        """Part of the difference that ``parts`` does not explain."""
        return self.whole_ns - sum(part.more_ns for part in self.parts)


def make_slowdown(profile: DeviceProfile, budget: Budget) -> Slowdown | None:
    """Divides the difference; None where calls without the compiler were not looked at."""
    eager_ns, busy_ns = budget.eager_ns, budget.eager_busy_ns
    if eager_ns is None or busy_ns is None or "unknown" in budget.causes_ns:
        return None
    causes = _in_proportion(profile.eager_idle_ns, max(0.0, eager_ns - busy_ns))
    if causes is None:
        return None
    parts = list(_work(profile, budget, busy_ns))
    compiled, eager = (
        each if profile.is_cpu else _with_launches(each) for each in (budget.causes_ns, causes)
    )
    waits = [
        SlowdownPart(name, compiled.get(name, 0.0), eager.get(name, 0.0))
        for name in {**compiled, **eager}
    ]
    parts += sorted(waits, key=lambda part: -abs(part.more_ns))
    return Slowdown(budget.wall_ns - eager_ns, tuple(parts))


def _work(profile: DeviceProfile, budget: Budget, busy_ns: float) -> Iterator[SlowdownPart]:
    """What the device does; copies stand alone where nothing else is done meanwhile."""
    times_ns = [time_ns for _, time_ns in profile.eager_copies] or [0]
    eager_copies_ns = float(statistics.median(times_ns))
    copies_ns = max(0.0, budget.busy_ns - busy_of_kernels(profile, budget))
    yield SlowdownPart(WORK, budget.busy_ns - copies_ns, busy_ns - eager_copies_ns)
    if copies_ns or eager_copies_ns:
        yield SlowdownPart(COPIES, copies_ns, eager_copies_ns)


def _with_launches(causes: Mapping[str, float]) -> dict[str, float]:
    launches_ns = sum(time_ns for name, time_ns in causes.items() if name in _LAUNCHING)
    others = {name: time_ns for name, time_ns in causes.items() if name not in _LAUNCHING}
    return others | ({LAUNCHES: launches_ns} if launches_ns else {})


def _in_proportion(seen: Mapping[str, int], idle_ns: float) -> Mapping[str, float] | None:
    """The idle time of an unwatched call, divided as that of a watched one; None of nothing."""
    total = sum(seen.values())
    if not total:
        return None if idle_ns else {}
    return {name: idle_ns * time_ns / total for name, time_ns in seen.items()}
