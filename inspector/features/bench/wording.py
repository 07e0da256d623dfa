"""The words and numbers of a bench, for every renderer."""

import itertools
from collections.abc import Iterator, Sequence

from inspector.features.bench.ratio import Ratio
from inspector.features.bench.report import BenchGroup, BenchReport
from inspector.features.bench.rows import BenchRow
from inspector.report.wording import count, duration, listed, size

COLUMNS = ("setting", "time", "faster", "first call", "cached", "peak", "error")
_THOUSAND = 1_000
_WIDE = 0.5  # of a factor of more, "±60%" would be read as a distance
_ONE_SIDED = 1.1
_SIGNIFICANT = 10
_NONE = "-"
TIMES = "\N{MULTIPLICATION SIGN}"
_DASH = "\N{EN DASH}"
_EPSILON = 1e-12
_MOST_ROUNDING = 1e-3


def head_text(report: BenchReport) -> str:
    """``model.py · torch 2.13.0 · cpu, 2 threads · 3 sessions``."""
    found: dict[str, dict[str, None]] = {}
    for item in itertools.chain.from_iterable(report.plan.variations):
        found.setdefault(item.place, {})[str(item.value)] = None
    said = "; ".join(f"{place}={','.join(values)}" for place, values in found.items())
    parts = (
        report.plan.target,
        f"torch {report.run.torch}" if report.run.torch else "",
        device_text(report.device, report.threads),
        count(report.plan.sessions, "session"),
        (f"{count(len(report.plan.variations), 'input')}: {said}" if said else ""),
        "with gradients" if report.plan.is_grad else "",
    )
    return " · ".join(filter(None, parts))


def device_text(device: str, threads: int) -> str:
    """``NVIDIA H200``, ``cpu, 2 threads``; empty where no device is known."""
    return f"{device}, {count(threads, 'thread')}" if device == "cpu" else device


def group_title(group: BenchGroup, *, several: bool) -> str:
    """``batch 4 · bf16 · input 2: float32[4, 3, 224, 224]``."""
    number = f"input {group.input + 1}: " if several else ""
    parts = (group.workload.label, f"{number}{group.inputs}" if group.inputs else "")
    return " · ".join(filter(None, parts)) or "Unchanged model"


def none_measured(labels: Sequence[str]) -> str:
    """That no setting was measured: without it there would be no verdict at all."""
    return f"No setting was measured: {listed(labels)} failed (see below)"


def cells(row: BenchRow) -> tuple[str, ...]:
    """A row's cells, as `COLUMNS` names them."""
    cached_ns = row.cached_first_ns  # eager PyTorch keeps nothing that a later start would find
    return (
        row.setting.label,
        time_text(row),
        "" if row.setting.is_eager else faster_text(row.faster),
        duration(row.first_ns) if row.first_ns else _NONE,
        _NONE if cached_ns is None or row.setting.is_eager else duration(cached_ns),
        size(row.memory["peak_allocated"]) if row.memory.get("peak_allocated") else _NONE,
        error_text(row),
    )


def time_text(row: BenchRow | None) -> str:
    """The time of a call, where it was measured."""
    if row is None or row.latency is None:
        return _NONE
    return duration(round(row.latency.middle_ns))


def faster_text(faster: Ratio | None) -> str:
    """The ratio and its interval's half, ``±3%``; both ends of the interval if it is wide.

    The half is that of a factor, which is no distance to either side where it is large; an interval
    that reaches further to one side has no half.
    """
    if faster is None:
        return _NONE
    above, below = faster.high / faster.middle, faster.middle / faster.low
    reach = max(above, below) - 1
    if reach > _WIDE or max(above / below, below / above) > _ONE_SIDED:
        return f"{faster.middle:.2f}{TIMES} ({_end(faster.low)}{_DASH}{_end(faster.high)})"
    percent = f"{reach:.1%}" if reach < 1 / _SIGNIFICANT**2 else f"{reach:.0%}"
    return f"{faster.middle:.2f}{TIMES} ±{percent}"


def _end(ratio: float) -> str:
    """An end of an interval: ``0.50``, ``12``, ``>999``, ``<0.01``."""
    if round(ratio) >= _THOUSAND:
        return f">{_THOUSAND - 1}"
    if round(ratio, 2) == 0:
        return "<0.01"
    return f"{ratio:.2f}" if round(ratio, 2) < _SIGNIFICANT else f"{ratio:.0f}"


def error_text(row: BenchRow) -> str:
    """The largest error against eager PyTorch; of that, against float64."""
    reference = "float64" if row.setting.is_eager else "eager"
    text = _NONE
    errors = [error for error in row.errors if error.reference == reference]
    if any(error.name in row.wrong and not error.has_number for error in errors):
        return "WRONG"  # the verdict says what there is
    if reference in row.worst:
        worst = row.worst[reference]
        text = "0" if worst < _EPSILON else f"{worst:.0e}"
        if row.draws and worst > _MOST_ROUNDING and not row.setting.is_eager:
            text = "random"  # a note says why
    elif any(error.scale == "rounding" for error in errors):
        text = "rounding"
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
        yield f"{_DASH.join(ends)} (90% of {count(row.latency.calls, 'call')})"
    if row.busy is not None:
        yield f"GPU busy {row.busy:.0%}, {count(row.launches, 'launch', 'launches')}"
    if row.compiled is not None:
        yield count(row.compiled.graphs, "graph")
        others = (
            (row.compiled.graph_breaks, "graph break"),
            (row.compiled.recompiles, "recompilation"),
            (row.compiled.kernels, "kernel"),
        )
        yield from (count(number, noun) for number, noun in others if number)
    if row.break_even_calls is not None:
        yield f"pays off after {count(row.break_even_calls, 'call')}"
    if row.memory.get("peak_reserved"):
        yield f"{size(row.memory['peak_reserved'])} reserved"
    if row.memory.get("pools"):
        yield f"{size(row.memory['pools'])} for CUDA graphs"
    if row.failure:
        yield row.failure


def interval_text(ratio: Ratio, *, inverse: bool = False) -> str:
    """Where the ratio of another run will be, from one end to the other."""
    low, high = (1 / ratio.high, 1 / ratio.low) if inverse else (ratio.low, ratio.high)
    return f"{_end(low)}{_DASH}{_end(high)}{TIMES}"


def speed_text(faster: Ratio) -> str:
    """How many times faster, or slower."""
    is_slower = faster.middle < 1
    times = 1 / faster.middle if is_slower else faster.middle
    return f"{times:.2f}{TIMES} {'slower' if is_slower else 'faster'}"


def is_inconclusive(ratio: Ratio | None) -> bool:
    """Whether it can be as fast as eager PyTorch, and twice or half as fast as well."""
    return ratio is not None and ratio.is_inconclusive
