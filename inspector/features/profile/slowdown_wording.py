"""Why compiled calls take longer than eager ones, in words."""

from collections.abc import Iterator

from inspector.features.profile.profiled import Profiled
from inspector.features.profile.slowdown import COPIES, LAUNCHES, WORK
from inspector.report.wording import duration

CAUSES = {
    WORK: "kernels",
    COPIES: "copies",
    LAUNCHES: "code that launches kernels",
    "launching": "kernel launch overhead",
    "wrappers": "torch code around graphs",
    "guards": "guards",
    "graph-break": "Python between graphs",
    "synchronisation": "host waiting for the GPU",
    "autograd": "autograd",
    "loss": "loss of --train",
    "outside": "outside compiled code",
    "launch-latency": "launch latency",
    "tail": "Python after the last kernel",
    "end": "return to the host",
    "unknown": "unknown",
}
COPIED = "copies from or to the host"
WORK_ON_CPU = "generated statements and operators"
OUTSIDE = "outside generated statements and operators"
_ON_CPU = {
    **CAUSES,
    WORK: "kernels and operators",
    "launching": "overhead between generated statements",
    "synchronisation": "waiting",
    "unknown": OUTSIDE,
}


def cause_name(name: str, *, is_cpu: bool) -> str:
    """What the host does, in the words of the bar."""
    return (_ON_CPU if is_cpu else CAUSES).get(name, name)


_LEAST = 0.05  # of the difference
_MOST = 5
_NOISE = 2.0  # between the ends of the ratio's interval: what is said then is about other programs
_VARYING = 0.5  # how far equal calls may differ before nothing is said of such a difference


def is_noise(found: Profiled) -> bool:
    """Whether what was timed is so uncertain that nothing can be said of it."""
    faster = found.budget.faster
    return faster is not None and faster[2] > _NOISE * faster[0]


def is_within_noise(found: Profiled) -> bool:
    """Whether equal calls vary by much, and by more than calls with the compiler and without."""
    faster, spread = found.budget.faster, found.budget.spread or 0.0
    if faster is None or spread <= _VARYING:
        return False
    return max(faster[1], 1 / faster[1]) <= 1 + spread


def slowdown_lines(found: Profiled) -> Iterator[str]:
    """The difference and its largest parts, in one sentence; the figures add up."""
    gap = found.slowdown
    if gap is None or is_noise(found) or is_within_noise(found):
        return
    # Work is named in any case: it is what a compiler is for.
    least_ns = _LEAST * abs(gap.whole_ns)
    large = [part for part in gap.parts if part.cause == WORK or abs(part.more_ns) >= least_ns]
    named = large[:_MOST]
    parts = [
        f"{cause_name(part.cause, is_cpu=found.is_cpu)} {_signed(part.more_ns)}" for part in named
    ]
    left_ns = gap.whole_ns - sum(part.more_ns for part in named)
    if round(abs(left_ns)):
        parts.append(f"everything else {_signed(left_ns)}")
    yield f"{_signed(gap.whole_ns)} per call: {', '.join(parts)}"


def _signed(time_ns: float) -> str:
    return f"{'+' if time_ns >= 0 else '-'}{duration(abs(time_ns))}"
