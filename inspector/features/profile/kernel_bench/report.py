"""Everything that is said about one kernel that was timed alone."""

import dataclasses
import math
import statistics
from collections.abc import Iterator, Sequence

from inspector.features.profile.kernel_timing import KernelTiming, percentile
from inspector.features.profile.report import ProfileReport
from inspector.records.ceilings import Ceilings
from inspector.records.kernel_bench import KernelBench
from inspector.report.command_line import command_about
from inspector.report.overview import reading_texts
from inspector.run.run import Run
from inspector.shared.dtypes import find_dtype

FORMAT_VERSION = 1
"""Of a report on one kernel as JSON: counts up when a field changes its meaning or goes."""
COLD, WARM = "cold", "warm"


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """Times of the same launch: the median, the 5th and the 95th percentile."""

    median_ns: float
    low_ns: float
    high_ns: float
    number: int


@dataclasses.dataclass(frozen=True, slots=True)
class InPlace:
    """Times of the same launches within calls of the model.

    Attributes:
        launches: Number of launches per call with the timed arguments.
        work: One of them, with what it moves and computes.
    """

    times: Measured
    launches: int
    wall_ns: float
    work: KernelTiming


@dataclasses.dataclass(frozen=True, slots=True)
class Rate:
    """Share of the machine's peak that a kernel reaches.

    Attributes:
        regime: ``cold`` or ``warm``: with an empty or with a full cache.
        what: ``bytes`` or ``flops``.
        ceiling: Name of the peak in ``ceilings``, if there is one.
    """

    regime: str
    what: str
    per_s: float
    ceiling_per_s: float | None
    ceiling: str

    @property
    def share(self) -> float | None:
        """Share of the peak that is reached, or None if the peak is unknown."""
        return self.per_s / self.ceiling_per_s if self.ceiling_per_s else None


@dataclasses.dataclass(frozen=True, slots=True)
class KernelBenchReport:
    """One kernel, timed alone.

    Attributes:
        in_place: Times of the same launches within calls of the model, or None.
        regime: ``cold`` or ``warm``, whichever is closer to the ``in_place`` times.
        bytes_: Bytes read and written by a launch, or None.
        bytes_are_inductors: Whether ``bytes`` is Inductor's count; otherwise it is the total size
            of the arguments.
        flops: Floating-point operations of one launch, or None.
        cold: Its times with an empty cache, or None.
        warm: Its times right after another launch, or None.
    """

    run: Run
    bench: KernelBench
    in_place: InPlace | None
    regime: str
    bytes_: int | None
    bytes_are_inductors: bool
    flops: int | None
    rates: tuple[Rate, ...]
    cold: Measured | None
    warm: Measured | None
    ceilings: Ceilings | None
    notices: tuple[str, ...]
    next_steps: tuple[str, ...] = ()


def make_kernel_bench_report(report: ProfileReport, bench: KernelBench) -> KernelBenchReport:
    """Reads a benchmark, beside the profile of the same run."""
    found = next((item for item in report.profiles if item.profile.input == bench.input), None)
    in_place = None
    if found is not None:
        # Its times in place are of watched calls, which on a CPU take longer than others.
        in_place = _in_place_of(bench, found.work, found.budget.shown_ns or found.budget.wall_ns)
    work = in_place.work if in_place is not None else None
    counted = work.bytes_ if work is not None else None
    bytes_ = counted if counted is not None else _argument_bytes(bench)
    config = bench.config
    cold, warm = (_measured(config.cold_ns), _measured(config.warm_ns)) if config else (None, None)
    amiss = tuple(reading_texts(report.run))
    others = [text for text in report.notices if text not in amiss] if found is None else ()
    made = KernelBenchReport(
        run=report.run,
        bench=bench,
        in_place=in_place,
        regime=_regime_of(cold, warm, in_place),
        bytes_=bytes_,
        bytes_are_inductors=counted is not None,
        flops=work.flops if work is not None else None,
        rates=(),
        cold=cold,
        warm=warm,
        ceilings=report.ceilings,
        notices=(*amiss, *_notices(bench, others, is_in_place=in_place is not None)),
        next_steps=(command_about(report.run, "profile"),) if report.profiles else (),
    )
    return dataclasses.replace(made, rates=tuple(_rates(made, work.unit if work else "")))


def _measured(times_ns: Sequence[int]) -> Measured | None:
    """The median of times, with their spread; None of none."""
    if not times_ns:
        return None
    low, high = (percentile(times_ns, part) for part in (0.05, 0.95))
    return Measured(float(statistics.median(times_ns)), low, high, len(times_ns))


def _in_place_of(
    bench: KernelBench, work: Sequence[KernelTiming], wall_ns: float
) -> InPlace | None:
    places = set(bench.places)
    found = [
        item
        for item in work
        if (item.launches[0].launch.place.file, item.launches[0].launch.place.line) in places
    ]
    times = _measured([time_ns for item in found for time_ns in item.times_ns])
    if times is None:
        return None
    return InPlace(times, len(found), wall_ns, found[0])


def _regime_of(cold: Measured | None, warm: Measured | None, in_place: InPlace | None) -> str:
    if in_place is None or not in_place.times.median_ns:
        return COLD
    if cold is None or warm is None:
        return COLD if cold is not None else WARM
    there_ns = in_place.times.median_ns
    away = [abs(math.log(item.median_ns / there_ns)) for item in (cold, warm)]
    return COLD if away[0] <= away[1] else WARM


def _rates(report: KernelBenchReport, unit: str) -> Iterator[Rate]:
    values = report.ceilings.values if report.ceilings is not None else {}
    for regime, times in ((COLD, report.cold), (WARM, report.warm)):
        if times is None or not times.median_ns:
            continue
        if report.bytes_:
            # Half of the cache: what is read and written has to find room beside each other.
            fits = regime == WARM and report.bytes_ <= report.bench.cache_bytes // 2
            name = "l2_bytes_per_s" if fits else "copy_bytes_per_s"
            rate = report.bytes_ / times.median_ns * 1e9
            yield Rate(regime, "bytes", rate, values.get(name), name)
        if report.flops and unit:
            name = f"{unit}_flops_per_s"
            rate = report.flops / times.median_ns * 1e9
            yield Rate(regime, "flops", rate, values.get(name), name)


def _argument_bytes(bench: KernelBench) -> int | None:
    """The sizes of all tensors, once each; None where one is not known."""
    total = 0
    for argument in bench.arguments:
        if not argument.dtype:
            continue
        dtype = find_dtype(argument.dtype)
        if dtype is None:
            return None
        total += dtype.size_bytes * math.prod(argument.size)
    return total or None


def _notices(bench: KernelBench, others: Sequence[str], *, is_in_place: bool) -> Iterator[str]:
    if bench.missing:
        yield f"not timed in isolation: {bench.missing}"
        return
    if len(bench.launches) > 1:
        taken = next((item.count for item in bench.launches if item.is_taken), 0)
        total = sum(item.count for item in bench.launches)
        yield (
            f"{total} launches per call with {len(bench.launches)} sets of arguments; timed: "
            f"launch {bench.launch}, which represents {taken} of them"
        )
    if not is_in_place:
        yield "its time in the model is unknown, because no profiled call launched it"
    yield from others
