"""Which setting to take, and why, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.benches.choice import Choice
from inspector.benches.ratio import Ratio
from inspector.benches.rows import INTERRUPTED, BenchRow
from inspector.findings.bench_report import BenchGroup
from inspector.findings.bench_wording import (
    interval_text,
    none_measured,
    says_nothing,
    time_text,
)
from inspector.findings.finding import Finding
from inspector.findings.profile_wording import time_lines
from inspector.findings.profiled import Profiled
from inspector.findings.wording import count, duration, listed, size, title
from inspector.findings.wrong_wording import wrong_lines

_OTHER_CALLS = 1.5  # times as long: something else was at work, or they wait for other things


def verdict_lines(group: BenchGroup) -> Iterator[str]:
    """What to take, and how much that is; the most important first."""
    choice = group.choice
    if choice.eager is None:
        failed = next((row for row in group.rows if row.setting.is_eager and row.failure), None)
        if failed is not None:
            is_cut = failed.failure == INTERRUPTED
            said = failed.failure.removesuffix(".")
            yield f"eager PyTorch {'was not measured' if is_cut else 'fails'}: {said}"
        yield from _without_eager(group.rows)
        return
    for row in choice.wrong:
        yield from wrong_lines([row], eagers=[choice.eager])
    yield from _latency(group)
    if choice.memory is not None:
        mine, theirs = (row.memory["peak_allocated"] for row in (choice.memory, choice.eager))
        saved = 1 - mine / theirs
        yield (
            f"least memory: {choice.memory.setting.label}, {size(mine)} instead of "
            f"{size(theirs)} (\N{MINUS SIGN}{saved:.0%})"
        )


def _without_eager(rows: Sequence[BenchRow]) -> Iterator[str]:
    """What runs although eager PyTorch does not, the shortest call first."""
    measured = [(row.latency.middle_ns, row) for row in rows if row.latency]
    for _, row in sorted(measured, key=lambda each: each[0]):
        peak = row.memory.get("peak_allocated")
        memory = f", at most {size(peak)}" if peak else ""
        yield f"{row.setting.label} runs all the same: {time_text(row)} per call{memory}"


def _latency(group: BenchGroup) -> Iterator[str]:
    choice = group.choice
    if choice.latency is not None and choice.latency.faster is not None:
        yield from _faster(choice, choice.latency, choice.latency.faster)
    else:
        yield from _no_faster(group)


def _faster(choice: Choice, best: BenchRow, faster: Ratio) -> Iterator[str]:
    times = f"{time_text(choice.eager)} → {time_text(best)} per call"
    yield f"{best.setting.label} is {_compared(faster, times)}"
    if choice.as_good:
        names = listed([row.setting.label for row in choice.as_good])
        verb = "does" if len(choice.as_good) == 1 else "do"
        longer = ", and compile longer" if best.break_even_calls is not None else ""
        yield f"{names} {verb} not differ from it by more than noise{longer}"
    if best.first_ns and best.break_even_calls is not None:
        cached = f", {duration(best.cached_first_ns)} with caches" if best.cached_first_ns else ""
        yield (
            f"its first call takes {duration(best.first_ns)}{cached}, and has paid for itself "
            f"after {count(best.break_even_calls, 'call')}"
        )


def _compared(faster: Ratio, times: str) -> str:
    """``1.53 times as fast as eager PyTorch (…)``, or slow, or that there is no difference."""
    if not faster.is_known:
        return (
            f"no different from eager PyTorch beyond noise ({times}; {faster.middle:.2f} times as "
            f"fast; another run: {interval_text(faster)})"
        )
    is_slower = faster.high < 1
    return (
        f"{_how_fast(faster)} as eager PyTorch ({times}; another run: "
        f"{interval_text(faster, inverse=is_slower)})"
    )


def _how_fast(faster: Ratio) -> str:
    """``1.53 times as fast``, ``1.25 times as slow``."""
    is_slower = faster.high < 1
    times = 1 / faster.middle if is_slower else faster.middle
    return f"{times:.2f} times as {'slow' if is_slower else 'fast'}"


def _no_faster(group: BenchGroup) -> Iterator[str]:
    choice = group.choice
    compiled = [row for row in group.rows if not row.setting.is_eager]
    failed = [row.setting.label for row in compiled if row.failure not in {"", INTERRUPTED}]
    if failed and len(failed) == len(compiled):
        yield none_measured(failed)
    for row in choice.slower:
        if row.faster is not None:
            yield (
                f"{row.setting.label} is {_how_fast(row.faster)} as eager PyTorch (another run: "
                f"{interval_text(row.faster, inverse=True)})"
            )
    yield from _no_difference([row for row in choice.same if not says_nothing(row.faster)])
    unknown = [row for row in choice.same if says_nothing(row.faster)]
    if unknown:
        yield (
            f"not known whether {listed([row.setting.label for row in unknown])} would be faster "
            "than eager PyTorch: equal calls differ too much; measure again while nothing else "
            "runs, or over more --sessions"
        )
    if group.reasons:
        nearest = choice.nearest.compiled if choice.nearest is not None else None
        is_none = nearest is not None and not nearest.graphs
        where = "nothing could be compiled" if is_none else "in what was compiled"
        yield f"{where}: {'; '.join(dict.fromkeys(map(_placed, group.reasons)))}"
    if group.profile is not None and choice.nearest is not None:
        label = choice.nearest.setting.label
        yield from (f"profiled with {label}: {line}" for line in _profiled(group.profile, choice))
    elif choice.nearest is not None:
        yield "`inspect profile` says where the time of a call goes"


def _placed(reason: Finding) -> str:
    place = f" ({reason.place.file}:{reason.place.line})" if reason.place.file else ""
    return f"{title(reason)}{place}"


def _profiled(profile: Profiled, choice: Choice) -> Iterator[str]:
    """What the time is spent on, if the calls that were profiled are like those of the table."""
    latency = choice.nearest.latency if choice.nearest is not None else None
    times = profile.budget.wall_ns / latency.middle_ns if latency is not None else 1.0
    if times > _OTHER_CALLS:
        yield (
            f"its calls took {times:.1f} times as long as those above, so that nothing is said of "
            "what they are spent on: measure again while nothing else runs"
        )
        return
    yield from time_lines(profile)


def _no_difference(rows: Sequence[BenchRow]) -> Iterator[str]:
    known = [(row.faster, row.setting.label) for row in rows if row.faster is not None]
    if not known:
        return
    faster, label = max(known, key=lambda each: each[0].high)
    whose = f"{label}: " if len(known) > 1 else ""
    yield (
        f"no difference to eager PyTorch beyond noise: {listed([each for _, each in known])} "
        f"({whose}{faster.middle:.2f} times as fast; another run: {interval_text(faster)})"
    )
