"""The page on one kernel."""

from collections.abc import Iterator

from inspector.features.graph.wording import TIMES
from inspector.features.profile.ceiling_wording import rate
from inspector.features.profile.kernel_bench.report import (
    COLD,
    WARM,
    KernelBenchReport,
    Measured,
    Rate,
)
from inspector.records.kernel_bench import BenchedConfig
from inspector.report.file_names import line_texts, short_names
from inspector.report.page import Column, Page, Section, Table, about, as_notes
from inspector.report.wording import count, duration, size
from inspector.shared.units import percent

_MOST_ARGUMENTS = 12
_MOST_LINES = 3
_KINDS = {
    "triton": "Triton, generated",
    "user_triton": "Triton, user-defined",
    "cpp": "C++, generated",
    "library": "library call",
    "unknown": "unknown kind",
}
_NEAR = 0.8  # of a ceiling: what is left is within what configurations differ by
_POSSIBLE = 1.05  # more than that, and the bytes are not what moves
_ALL_GONE = 2  # times the last cache: nothing is left of it when a launch is made again
_CEILINGS = {"copy_bytes_per_s": "memory bandwidth", "l2_bytes_per_s": "cache bandwidth"}


def page(report: KernelBenchReport) -> Page:
    """What it takes of a call, and alone."""
    lines = report.in_place.work.lines if report.in_place is not None else ()
    places = line_texts(lines, short_names(line.file for line in lines))
    times = (Column(""), Column("time", "number"), Column(""))
    arguments = (Column("argument", "code"), Column(""))
    own = (Column("line", "code"), Column("source", "code"))
    return Page(
        "Kernel",
        title(report),
        about(report.run),
        summary=list(verdict_lines(report)),
        sections=(
            Section("Lines", [Table(own, places, "line", _MOST_LINES)]),
            Section("Time in isolation and in the model", [Table(times, list(time_lines(report)))]),
            Section(
                "Arguments from the model's call",
                [Table(arguments, list(argument_texts(report)), "argument", _MOST_ARGUMENTS)],
            ),
        ),
        notes=as_notes(report.notices),
        next_steps=report.next_steps,
    )


def title(report: KernelBenchReport) -> str:
    """What was timed: ``triton_red_fused_sum_3 · Triton, generated``."""
    bench = report.bench
    name = bench.name or bench.asked
    return f"{name} · {_KINDS[bench.kind]}"


def us(time_ns: float) -> str:
    """A time in µs with three digits: configurations differ in the third."""
    value = time_ns / 1e3
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0  # noqa: PLR2004
    return f"{value:,.{digits}f} µs"


def verdict_lines(report: KernelBenchReport) -> Iterator[str]:
    """What it takes of a call, and what is left to win."""
    there = report.in_place
    if there is not None and there.wall_ns > 0:
        whole = there.times.median_ns * there.launches
        takes = "takes" if there.launches == 1 else "take"
        yield (
            f"in the model {count(there.launches, 'launch', 'launches')} {takes} "
            f"{us(whole)} of {duration(there.wall_ns)} per call ({whole / there.wall_ns:.1%})"
        )
    near = _near_ceiling(report)
    if near:
        yield near


def time_lines(report: KernelBenchReport) -> Iterator[tuple[str, str, str]]:
    """In place, and alone with an empty and a full cache: name, time, and what it reaches."""
    there, config = report.in_place, report.bench.config
    is_cpu = report.ceilings is not None and report.ceilings.device == "cpu"
    cache = "cache" if is_cpu or report.bench.kind == "cpp" else "L2"
    if there is not None:
        yield "in the model", us(there.times.median_ns), _spread(there.times)
    for regime, times in ((COLD, report.cold), (WARM, report.warm)):
        if times is not None:
            reached = [
                rate(item.per_s, "FLOP/s" if item.what == "flops" else "B/s") + _of_ceiling(item)
                for item in report.rates
                if item.regime == regime
            ]
            near = (
                "closer to its time in the model"
                if there is not None and regime == report.regime
                else ""
            )
            texts = [*reached, _spread(times), near]
            yield f"{regime} {cache}", us(times.median_ns), " · ".join(filter(None, texts))
    if report.bytes_:
        what = "Inductor's count" if report.bytes_are_inductors else "the total size of its tensors"
        yield "moves", size(report.bytes_), what
    if config is not None and config.num_warps is not None:
        parts = [f"{name}={value}" for name, value in config.values.items()]
        parts.append(count(config.num_warps, "warp"))
        if config.num_stages is not None:
            parts.append(count(config.num_stages, "stage"))
        yield "runs with", "", " · ".join((", ".join(parts), _resources(config)))


def _spread(times: Measured) -> str:
    return f"{us(times.low_ns)} to {us(times.high_ns)}, n = {times.number:,}"


def _of_ceiling(rate: Rate) -> str:
    if rate.share is None:
        return ""
    how = f"{percent(rate.share)} of" if rate.share <= 1 else "more than"
    return f" ({how} {_ceiling_text(rate.ceiling)})"


def _resources(config: BenchedConfig) -> str:
    """``40 registers, 0 spills, 1.0 KiB shared``; what is not known is left out."""
    parts = []
    if config.registers is not None:
        parts.append(f"{config.registers} registers")
    if config.spills is not None:
        parts.append(f"{config.spills} spills")
    if config.shared_bytes is not None:
        parts.append(f"{size(config.shared_bytes)} shared")
    return ", ".join(parts)


def _ceiling_text(name: str) -> str:
    return _CEILINGS.get(name, f"{name.removesuffix('_flops_per_s')} peak")


def _near_ceiling(report: KernelBenchReport) -> str:
    """That only fewer bytes help; empty where it is not near, or a figure is not sure."""
    rates = (rate for rate in report.rates if rate.regime == report.regime)
    rate = next((rate for rate in rates if rate.what == "bytes"), None)
    share = rate.share if rate is not None else None
    if rate is None or share is None or not _NEAR <= share <= _POSSIBLE:
        return ""
    is_warm = report.regime == WARM and rate.ceiling == "copy_bytes_per_s"
    if not report.bytes_are_inductors or (
        is_warm and (report.bytes_ or 0) < _ALL_GONE * report.bench.cache_bytes
    ):
        return ""
    cold = "" if report.regime == WARM else ", with cold caches,"
    return (
        f"in isolation{cold} it reaches {min(share, 1):.0%} of {_ceiling_text(rate.ceiling)}: "
        "move fewer "
        "bytes (fuse it with the kernels before or after it)"
    )


def argument_texts(report: KernelBenchReport) -> Iterator[tuple[str, str]]:
    """The arguments: the name, and its dtype, sizes and strides, or its value."""
    for argument in report.bench.arguments:
        if argument.dtype:
            sizes, strides = (
                TIMES.join(map(str, lengths)) if lengths else "a number"
                for lengths in (argument.size, argument.stride)
            )
            written = ", written" if argument.is_written else ""
            stride = f", strides {strides}" if argument.stride else ""
            yield argument.name, f"{argument.dtype} {sizes}{stride}{written}"
        elif argument.value:
            yield argument.name, argument.value
