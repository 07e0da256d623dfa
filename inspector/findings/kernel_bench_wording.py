"""How a report on one kernel says things, the same in every format."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.events.kernel_bench import BenchedConfig
from inspector.findings.ceiling_wording import bytes_rate, flops_rate
from inspector.findings.graph_wording import TIMES
from inspector.findings.kernel_bench_ceiling import ceiling_text, near_ceiling
from inspector.findings.kernel_bench_report import KernelBenchReport, Rate
from inspector.findings.kernel_bench_row import BenchRow
from inspector.findings.wording import count, duration, size
from inspector.model.units import percent
from inspector.profiles.alone import COLD, WARM, BenchGain, Measured

WHOLE_MODEL = "the profile of the whole model"
"""What the next command shows."""
_KINDS = {
    "triton": "Triton, generated",
    "user_triton": "Triton, the program's own",
    "cpp": "C++, generated",
    "library": "a call of a library",
    "unknown": "of an unknown kind",
}
_SMALL = 0.0005
_NEAR = 0.1


def title(report: KernelBenchReport) -> str:
    """What was timed: ``triton_red_fused_sum_3 · Triton, generated · reduction``."""
    bench = report.bench
    name = bench.name or bench.asked
    parts = [name, _KINDS.get(bench.kind, bench.kind), bench.heuristic.replace("_", " ")]
    return " · ".join(filter(None, parts))


def us(time_ns: float) -> str:
    """A time in µs with three digits: configurations differ in the third."""
    value = time_ns / 1e3
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0  # noqa: PLR2004
    return f"{value:,.{digits}f} µs"


def verdict_lines(report: KernelBenchReport) -> Iterator[str]:
    """What it comes to, the gain for the whole model in it."""
    yield from _found(report)
    yield from _where(report)
    near = near_ceiling(report)
    if near:
        yield near


def _found(report: KernelBenchReport) -> Iterator[str]:
    """What the search for another configuration came to, where there was one."""
    best, chosen = report.best, report.chosen
    if not report.bench.has_configs or best is None or chosen is None:
        return
    tried = count(len(report.rows), "configuration")
    if best.is_chosen or best.gain is None:
        yield (
            f"no difference beyond noise to what Inductor chose: of {tried} none is faster"
            f"{_nearest(report)}"
        )
    else:
        gain = best.gain
        yield (
            f"the best found is {_ratio(gain)} times as fast as what Inductor chose "
            f"({_interval(gain)}; {tried} tried): {config_text(best.config)}"
        )
        yield from _for_model(report, gain)
    yield from _autotuning(report)


def _nearest(report: KernelBenchReport) -> str:
    """How near the fastest of the others came."""
    row = report.nearest
    if row is None or row.gain is None:
        return ""
    return (
        f" (the nearest, timed in turns with it: {_ratio(row.gain)}{TIMES}, {_interval(row.gain)})"
    )


def _for_model(report: KernelBenchReport, gain: BenchGain) -> Iterator[str]:
    there = report.in_place
    if there is None or gain.call_ns is None or gain.share is None:
        return
    yield (
        f"for the whole model, estimated: {count(there.launches, 'launch', 'launches')} "
        f"{TIMES} {us(gain.launch_ns)} = {us(gain.call_ns)} of {duration(round(there.wall_ns))} "
        f"per call ({gain.share:.1%})"
    )


def _autotuning(report: KernelBenchReport) -> Iterator[str]:
    row = report.autotuned
    if row is None:
        return
    what = "autotuning (max_autotune_pointwise and coordinate_descent_tuning)"
    if report.bench.kind == "user_triton":
        what = "autotuning"
    elif report.bench.keeps_sizes:
        what = "autotuning among what is listed (max_autotune_pointwise)"
    if row.is_chosen:
        yield f"{what} would choose what is chosen now"
    elif row.gain is not None:
        how = "no faster beyond noise"
        if row.gain.is_real or row.gain.is_loss:
            how = f"{_ratio(row.gain)} times as fast ({_interval(row.gain)})"
        same = ", the best found" if row.is_best else f", {config_text(row.config)}"
        yield f"{what} would choose another{same}: {how}"


def _where(report: KernelBenchReport) -> Iterator[str]:
    there = report.in_place
    if there is None or there.wall_ns <= 0:
        return
    whole = there.times.median_ns * there.launches
    yield (
        f"in place {count(there.launches, 'launch', 'launches')} like this "
        f"{'takes' if there.launches == 1 else 'take'} {us(whole)} of "
        f"{duration(round(there.wall_ns))} per call ({whole / there.wall_ns:.1%})"
    )


def _ratio(gain: BenchGain) -> str:
    return f"{gain.ratio:.{_digits(gain)}f}"


def _interval(gain: BenchGain) -> str:
    low, high = (f"{end:.{_digits(gain)}f}" for end in gain.interval)
    return f"{low} to {high}"


def _digits(gain: BenchGain) -> int:
    """Near 1 a third digit tells what is a difference from what is none."""
    return 3 if abs(gain.ratio - 1) < _NEAR else 2


def time_lines(report: KernelBenchReport) -> Iterator[tuple[str, str, str]]:
    """In place, and alone with an empty and a full cache: name, time, and what it reaches."""
    there, chosen = report.in_place, report.chosen
    cache = "L2" if report.bench.kind != "cpp" and not _is_cpu(report) else "cache"
    if there is not None:
        yield "in place", us(there.times.median_ns), _spread(there.times)
    if chosen is None:
        return
    for regime, times in ((COLD, chosen.cold), (WARM, chosen.warm)):
        if times is not None:
            reached = [
                _rate(rate) + _of_ceiling(rate) for name, rate in report.rates if name == regime
            ]
            near = "nearer to in place" if there is not None and regime == report.regime else ""
            texts = [*reached, _spread(times), near]
            yield f"{regime} {cache}", us(times.median_ns), " · ".join(filter(None, texts))
    if report.bytes_:
        what = "Inductor's count" if report.bytes_are_inductors else "the sizes of its tensors"
        yield "moves", size(report.bytes_), what


def _is_cpu(report: KernelBenchReport) -> bool:
    return report.ceilings is not None and report.ceilings.device == "cpu"


def _spread(times: Measured) -> str:
    return f"{us(times.low_ns)} to {us(times.high_ns)}, n = {times.number:,}"


def _of_ceiling(rate: Rate) -> str:
    if rate.share is None:
        return ""
    how = f"{percent(rate.share)} of" if rate.share <= 1 else "more than"
    return f" ({how} {ceiling_text(rate.ceiling)})"


def _rate(rate: Rate) -> str:
    return flops_rate(rate.per_s) if rate.what == "flops" else bytes_rate(rate.per_s)


def config_text(config: BenchedConfig) -> str:
    """``XBLOCK=1024, 4 warps, 1 stage``."""
    parts = [f"{name}={value}" for name, value in config.values.items()]
    if config.num_warps is not None:
        parts.append(count(config.num_warps, "warp"))
    if config.num_stages is not None:
        parts.append(count(config.num_stages, "stage"))
    return ", ".join(parts)


def ratio_text(row: BenchRow) -> str:
    """How many times as fast as what is chosen, with ``=`` before it within noise.

    ``~`` stands before what comes of the first run alone, which is short.
    """
    if row.is_chosen:
        return f"1.00{TIMES}"
    if row.gain is None:
        return ""
    low, high = row.gain.interval
    same = "=" if low <= 1 <= high else "" if row.is_timed_again else "~"
    return f"{same}{row.gain.ratio:.2f}{TIMES}"


def resources(config: BenchedConfig) -> str:
    """``40 registers, 0 spills, 1.0 KiB shared``; what is not known is left out."""
    parts = []
    if config.registers is not None:
        parts.append(f"{config.registers} registers")
    if config.spills is not None:
        parts.append(f"{config.spills} spills")
    if config.shared_bytes is not None:
        parts.append(f"{size(config.shared_bytes)} shared")
    return ", ".join(parts)


def result_text(row: BenchRow) -> str:
    """Whether it writes what the program's own does."""
    found = row.config.difference
    if row.config.error:
        return f"failed: {row.config.error}"
    if found is None:
        return "" if row.is_chosen else "not checked"
    if found.is_exact:
        return "same bits"
    if found.is_correct:
        return f"correct to {found.relative:.1g} of an element (rounding: {found.tolerance:.0e})"
    return (
        f"WRONG: {found.name} is off by {found.largest:.3g}, {found.relative:.2g} of an element "
        f"(rounding: {found.tolerance:.0e})"
    )


def marks(row: BenchRow) -> str:
    """``chosen by Inductor · nothing better found``."""
    best = "nothing better found" if row.is_chosen else "best found"
    named = (
        (row.is_chosen, "chosen by Inductor"),
        (row.is_autotuned, "autotuning would choose it"),
        (row.is_best, best),
    )
    return " · ".join(text for is_so, text in named if is_so)


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


def tables_entry(report: KernelBenchReport) -> str:
    """The line of Python that makes Inductor take the best found, or an empty string."""
    best = report.best
    if best is None or best.is_chosen:
        return ""
    if not report.bench.lookup or not all(
        isinstance(value, int) for value in best.config.values.values()
    ):
        return ""
    if any("BLOCK" not in name for name in best.config.values):
        return ""  # torch reads no other sizes from its table
    values = {**best.config.values, "num_warps": best.config.num_warps,
              "num_stages": best.config.num_stages}  # fmt: skip
    return f'torch._inductor.config.autotune_lookup_table["{report.bench.lookup}"] = {values}'
