"""What could be won of kernels and calls of libraries, up to what the machine can do."""

from collections.abc import Iterable, Iterator

from inspector.features.profile.budget import crosses
from inspector.features.profile.functions import is_drawn
from inspector.features.profile.gain import Gain
from inspector.features.profile.gains.kernel_advice import Setup, advice, advised_unit, is_about_one
from inspector.features.profile.kernel_groups import KernelGroup, named, where
from inspector.features.profile.kernel_timing import Bound, limit_of
from inspector.report.wording import listed
from inspector.shared.units import percent

_MOST_NAMED = 3
_NEAR = 0.8  # of a ceiling: what is left is within what kernels differ by


def kernel_gains(rows: Iterable[KernelGroup], setup: Setup) -> Iterator[Gain]:
    """One gain for all that a setting is advised for, and that the same limits."""
    alike: dict[tuple[str, Bound, str], list[KernelGroup]] = {}
    for row in rows:
        first = row.first
        if first.is_transcendental_bound:
            yield _of_functions(row, advice(first, setup))
            continue
        if (
            row.share_of_ceiling is None
            or not row.is_possible
            or _won_ns(row, is_cpu=setup.is_cpu) <= 0
        ):
            continue
        is_of_host = first.kind == "copy" and crosses(first.launches[0].launch)
        if first.bound in {Bound.UNKNOWN, Bound.LATENCY} or is_of_host:
            continue
        change = advice(first, setup)
        own = first.name if not change or is_about_one(first, setup) else ""
        alike.setdefault((change, first.bound, own), []).append(row)
    for (change, _, _), same in alike.items():
        together = KernelGroup(tuple(item for row in same for item in row.all_))
        share = percent(together.share_of_ceiling or 0.0)
        reach = "reach" if together.number > 1 else "reaches"
        limit = limit_of(together.first)
        yield Gain(
            f"{named(together)}{where(together)} {reach} {share} of {limit}",
            sum(_won_ns(row, is_cpu=setup.is_cpu) for row in same),
            change or _nothing(together),
            is_known=bool(change),
        )


def _of_functions(row: KernelGroup, change: str) -> Gain:
    """Of equal statements that take longer for functions of each element than for their bytes."""
    functions = row.first.functions
    is_random = row.first.is_mostly(lambda part: is_drawn(part.name))
    less = "fewer random numbers" if is_random else "fewer or cheaper functions"
    takes = "take" if row.number > 1 else "takes"
    return Gain(
        f"{named(row)}{where(row)} {takes} longer to compute "
        f"({listed([*functions], _MOST_NAMED)}) than to read and write its data",
        row.median_ns * sum(functions.values()),
        change or f"only {less} would help",
        is_known=bool(change),
    )


def _nothing(row: KernelGroup) -> str:
    if (row.share_of_ceiling or 0.0) >= _NEAR:
        less = "less arithmetic" if row.first.bound is Bound.COMPUTE else "fewer bytes"
        return f"it already runs near peak: only {less} would help"
    if row.first.kind == "library":
        return "no known setting is faster"
    return "no known setting is faster; see `inspect kernels`"


def _won_ns(row: KernelGroup, *, is_cpu: bool) -> float:
    """What equal statements would win at the ceiling that the advice moves them to."""
    unit = advised_unit(row.first, is_cpu=is_cpu)
    least = [item.least_by_unit_ns.get(unit, item.least_ns or 0.0) for item in row.all_]
    return row.median_ns - sum(least)
