"""The words and numbers of a bench, for every renderer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.benches.ratio import Ratio
from inspector.benches.rows import BenchRow, Compiled
from inspector.events.bench import Parting
from inspector.findings.bench_report import BenchGroup, BenchReport
from inspector.findings.wording import count, duration, listed, size, title

__all__ = [
    "COLUMNS",
    "cells",
    "details",
    "error_text",
    "faster_text",
    "group_title",
    "machine_text",
    "rate_text",
    "verdict_lines",
]

COLUMNS = ("setting", "time", "faster", "first call", "cached", "peak", "error")
_THOUSAND = 1_000
_SIGNIFICANT = 10
_NONE = "-"
_TIMES = "\N{MULTIPLICATION SIGN}"
_EPSILON = 1e-12


def machine_text(report: BenchReport) -> str:
    """``NVIDIA H200 · 3 sessions``, ``cpu, 2 threads · 3 sessions``."""
    threads = f", {count(report.threads, 'thread')}" if report.device == "cpu" else ""
    parts = (
        f"{report.device}{threads}" if report.device else "",
        count(report.plan.sessions, "session"),
        "with gradients" if report.plan.is_grad else "",
        "empty L2 before each call" if report.plan.cold_cache else "",
    )
    return " · ".join(filter(None, parts))


def group_title(group: BenchGroup, *, several: bool) -> str:
    """``batch 4 · bf16 · input 2: float32[4, 3, 224, 224]``."""
    number = f"input {group.input + 1}: " if several else ""
    parts = (group.workload.label, f"{number}{group.inputs}" if group.inputs else "")
    return " · ".join(filter(None, parts)) or "the model as it is"


def cells(row: BenchRow) -> tuple[str, ...]:
    """A row's cells, as `COLUMNS` names them."""
    return (
        row.setting.label,
        _time(row),
        "" if row.setting.is_eager else faster_text(row.faster),
        duration(row.first_ns) if row.first_ns else _NONE,
        duration(row.cached_first_ns) if row.cached_first_ns else _NONE,
        size(row.memory["peak_allocated"]) if row.memory.get("peak_allocated") else _NONE,
        error_text(row),
    )


def _time(row: BenchRow) -> str:
    return duration(round(row.latency.middle_ns)) if row.latency is not None else _NONE


def faster_text(faster: Ratio | None) -> str:
    """The ratio and its interval's half in percent: ``1.53`` times, ``±3%``."""
    if faster is None:
        return _NONE
    reach = max(faster.high / faster.middle, faster.middle / faster.low) - 1
    percent = f"{reach:.1%}" if reach < 1 / _SIGNIFICANT**2 else f"{reach:.0%}"
    return f"{faster.middle:.2f}{_TIMES} ±{percent}"


def error_text(row: BenchRow) -> str:
    """The largest error against eager PyTorch; of that, against float64."""
    reference = "float64" if row.setting.is_eager else "eager"
    if reference not in row.worst:
        return _NONE
    worst = row.worst[reference]
    text = "0" if worst < _EPSILON else f"{worst:.0e}"
    return f"{text} WRONG" if row.is_wrong else text


def rate_text(per_s: float) -> str:
    """``243/s``, ``12.3k/s``."""
    if per_s < _SIGNIFICANT:
        return f"{per_s:.2f}/s"
    if per_s < _SIGNIFICANT * _THOUSAND:
        return f"{per_s:,.0f}/s"
    return f"{per_s / _THOUSAND:,.1f}k/s"


def details(row: BenchRow) -> str:
    """What else is known of a row, on one line."""
    if row.failure and row.latency is None:
        return row.failure
    return " · ".join(filter(None, _details(row)))


def _details(row: BenchRow) -> Iterator[str]:
    if row.items_per_s is not None:
        yield rate_text(row.items_per_s)
    if row.latency is not None:
        ends = (duration(round(ns)) for ns in (row.latency.p5_ns, row.latency.p95_ns))
        yield f"{' to '.join(ends)} in 90% of {row.latency.calls:,} calls"
    if row.compiled is not None:
        yield from _counts(row.compiled)
    if row.break_even_calls is not None:
        yield f"pays for itself after {count(row.break_even_calls, 'call')}"
    if row.memory.get("peak_reserved"):
        yield f"{size(row.memory['peak_reserved'])} reserved"
    if row.memory.get("pools"):
        yield f"{size(row.memory['pools'])} of it for CUDA graphs"
    if row.failure:
        yield row.failure


def _counts(compiled: Compiled) -> Iterator[str]:
    yield count(compiled.graphs, "graph")
    others = (
        (compiled.graph_breaks, "graph break"),
        (compiled.recompiles, "recompilation"),
        (compiled.kernels, "kernel"),
    )
    yield from (count(number, noun) for number, noun in others if number)
    if compiled.xla_programs:
        programs = count(compiled.xla_programs, "program")
        yield f"XLA compiled {programs} in {duration(compiled.xla_compile_ns)}"


def verdict_lines(group: BenchGroup) -> Iterator[str]:
    """What to take, and how much that is; the most important first."""
    choice = group.choice
    if choice.eager is None:
        failed = next((row for row in group.rows if row.setting.is_eager and row.failure), None)
        if failed is not None:
            yield f"eager PyTorch fails: {failed.failure}"
        return
    yield from _wrong(choice.wrong)
    yield from _latency(group)
    if choice.memory is not None:
        mine, theirs = (row.memory["peak_allocated"] for row in (choice.memory, choice.eager))
        saved = 1 - mine / theirs
        yield (
            f"least memory: {choice.memory.setting.label}, {size(mine)} instead of "
            f"{size(theirs)} (\N{MINUS SIGN}{saved:.0%})"
        )


def _wrong(rows: Sequence[BenchRow]) -> Iterator[str]:
    for row in rows:
        errors = [error for error in row.errors if error.reference == "eager"]
        worst = max(errors, key=lambda error: error.relative, default=None)
        if worst is not None:
            yield (
                f"{row.setting.label} gives wrong results: {worst.name} is off by "
                f"{worst.relative:.0e} of its largest element"
            )
        if row.parting is not None:
            yield _parted(row.parting)


def _parted(parting: Parting) -> str:
    if parting.failure:
        return f"the operator where it parts from eager PyTorch was not found: {parting.failure}"
    if not parting.operator:
        return (
            "every graph alone is right going forward: it is the backward pass, or what is between"
        )
    place = f" ({parting.file.rpartition('/')[2]}:{parting.line}: {parting.code})"
    return (
        f"it parts from eager PyTorch at {parting.operator}{place if parting.line else ''}, "
        f"operator {parting.at} of {parting.operators}"
    )


def _latency(group: BenchGroup) -> Iterator[str]:
    choice = group.choice
    best, eager = choice.latency, choice.eager
    if best is not None and best.faster is not None and eager is not None:
        yield (
            f"{best.setting.label} is {best.faster.middle:.2f} times as fast as eager PyTorch "
            f"({_time(eager)} → {_time(best)} per call; another run: {_interval(best.faster)})"
        )
        if choice.as_good:
            names = listed([row.setting.label for row in choice.as_good])
            verb = "does" if len(choice.as_good) == 1 else "do"
            yield f"{names} {verb} not differ from it by more than noise, and compile longer"
        if best.first_ns and best.break_even_calls is not None:
            cached = (
                f", {duration(best.cached_first_ns)} with caches" if best.cached_first_ns else ""
            )
            after = count(best.break_even_calls, "call")
            yield (
                f"its first call takes {duration(best.first_ns)}{cached}, and has paid for itself "
                f"after {after}"
            )
        return
    for row in choice.slower:
        if row.faster is not None:
            yield (
                f"{row.setting.label} is {1 / row.faster.middle:.2f} times as slow as eager PyTorch"
                f" (another run: {_interval(row.faster, inverse=True)})"
            )
    if choice.same:
        names = listed([row.setting.label for row in choice.same])
        widest = max(choice.same, key=lambda row: row.faster.high if row.faster else 0)
        if widest.faster is not None:
            yield (
                f"no difference to eager PyTorch beyond noise: {names} "
                f"({widest.faster.middle:.2f} times as fast; another run: "
                f"{_interval(widest.faster)})"
            )
    if group.reasons:
        yield f"in what was compiled: {'; '.join(title(reason) for reason in group.reasons)}"
    if choice.slower or choice.same:
        yield "`inspect profile` says where the time of a call goes"


def _interval(ratio: Ratio, *, inverse: bool = False) -> str:
    low, high = (1 / ratio.high, 1 / ratio.low) if inverse else (ratio.low, ratio.high)
    return f"{low:.2f} to {high:.2f}"
