"""What a profile comes to: what the time is spent on, and what the next gain is."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from inspector.profiles.budget import Budget
from inspector.profiles.work import Bound, Work

__all__ = ["Gain", "gains", "hot"]

_LEAST_SHARE = 0.01
_LAUNCHING = ("launching", "wrappers", "guards")
_GRAPHED = ("reduce-overhead", "max-autotune")


@dataclasses.dataclass(frozen=True, slots=True)
class Gain:
    """Time that something takes, and that need not be.

    Attributes:
        what: What takes it, in one sentence, without a full stop.
        time_ns: The time of a call that would be won at most.
        change: What to change.
    """

    what: str
    time_ns: float
    change: str


def hot(work: Iterable[Work]) -> list[tuple[Work, int, float]]:
    """Equal statements together, with how many there are and their time, the longest first."""
    found: dict[tuple[object, ...], list[Work]] = {}
    for item in work:
        key = item.name, item.kind, item.bytes_, item.flops, item.operators
        found.setdefault(key, []).append(item)
    rows = [(same[0], len(same), sum(item.median_ns for item in same)) for same in found.values()]
    return sorted(rows, key=lambda row: -row[2])


def gains(budget: Budget, work: Sequence[Work], mode: str, *, is_cpu: bool) -> list[Gain]:
    """What could be won, the most first; estimates, of which each is an upper limit.

    Args:
        budget: Where the time goes.
        work: The statements.
        mode: The mode that was compiled with, or an empty string.
        is_cpu: Whether it ran on the CPU: then nothing is launched.
    """
    found = [*_of_idle(budget, mode), *_of_kernels(work)] if not is_cpu else list(_of_kernels(work))
    least = budget.wall_ns * _LEAST_SHARE
    return sorted((gain for gain in found if gain.time_ns >= least), key=lambda gain: -gain.time_ns)


def _of_idle(budget: Budget, mode: str) -> Iterator[Gain]:
    causes = budget.causes_ns
    launching = sum(causes.get(name, 0.0) for name in _LAUNCHING)
    if launching and not mode.startswith(_GRAPHED):
        yield Gain(
            f"the GPU waits for the host to launch {budget.launches} kernels, one by one",
            launching,
            'mode="reduce-overhead" launches them as one CUDA graph; a larger batch hides it, too',
        )
    if causes.get("graph-break"):
        yield Gain(
            "the GPU waits while Python runs between compiled graphs",
            causes["graph-break"],
            "mend the graph breaks: `inspect explain` says how",
        )
    if causes.get("synchronisation"):
        yield Gain(
            "the GPU has nothing queued, because the host waited for it (`.item()`, a copy to the "
            "host, memory that is allocated)",
            causes["synchronisation"],
            "keep values on the GPU, and copy without waiting",
        )


def _of_kernels(work: Sequence[Work]) -> Iterator[Gain]:
    for first, number, time_ns in hot(work):
        share = first.share_of_ceiling
        if share is None or share >= 1 or first.bound not in {Bound.MEMORY, Bound.COMPUTE}:
            continue
        times = f"{number} runs of " if number > 1 else ""
        limit = "memory bandwidth" if first.bound is Bound.MEMORY else "arithmetic"
        yield Gain(
            f"{times}{first.name} reach {share:.0%} of the machine's {limit}"
            if number > 1
            else f"{first.name} reaches {share:.0%} of the machine's {limit}",
            time_ns * (1 - share),
            _advice(first),
        )


def _advice(work: Work) -> str:
    if work.kind == "library" and work.bound is Bound.COMPUTE:
        if work.unit == "float32":
            return 'torch.set_float32_matmul_precision("high") uses TF32, autocast to bfloat16 more'
        return 'mode="max-autotune" tries other kernels for it'
    if work.kind == "library":
        return 'mode="max-autotune" tries templates that what stands around can be fused with'
    return 'mode="max-autotune" tries other block sizes'
