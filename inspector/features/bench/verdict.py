"""Which setting to take, and why, in sentences."""

from collections.abc import Iterator, Sequence

from inspector.features.bench.choice import Choice
from inspector.features.bench.ratio import Ratio
from inspector.features.bench.report import BenchGroup
from inspector.features.bench.rows import INTERRUPTED, BenchRow
from inspector.features.bench.wording import (
    interval_text,
    is_inconclusive,
    none_measured,
    speed_text,
    time_text,
)
from inspector.features.bench.wrong_wording import wrong_line
from inspector.report.finding import Finding
from inspector.report.wording import count, duration, listed, size, title


def verdict_lines(group: BenchGroup) -> Iterator[str]:
    """Recommended settings and their advantage, one sentence each, most important first."""
    choice = group.choice
    if choice.eager is None:
        failed = next((row for row in group.rows if row.setting.is_eager and row.failure), None)
        if failed is not None:
            verb = "was not measured" if failed.failure == INTERRUPTED else "fails"
            yield f"eager {verb}: {failed.failure.removesuffix('.')}"
        # What runs although eager PyTorch does not, the shortest call first.
        measured = [(row.latency.middle_ns, row) for row in group.rows if row.latency]
        for _, row in sorted(measured, key=lambda each: each[0]):
            peak = row.memory.get("peak_allocated")
            memory = f", peak {size(peak)}" if peak else ""
            yield f"{row.setting.label} runs: {time_text(row)} per call{memory}"
        return
    for row in choice.wrong:
        yield wrong_line([row], eagers=[choice.eager])
    if choice.latency is not None and choice.latency.faster is not None:
        yield from _faster(choice, choice.latency, choice.latency.faster)
    else:
        yield from _no_faster(group)
    if choice.memory is not None:
        mine, theirs = (row.memory["peak_allocated"] for row in (choice.memory, choice.eager))
        saved = f"\N{MINUS SIGN}{1 - mine / theirs:.0%}"
        label = choice.memory.setting.label
        yield f"Least memory: {label}, {size(mine)} instead of {size(theirs)} ({saved})"


def _faster(choice: Choice, best: BenchRow, faster: Ratio) -> Iterator[str]:
    yield _compared(choice.eager, best, faster)
    if choice.as_good:
        names = listed([row.setting.label for row in choice.as_good])
        verb = "is" if len(choice.as_good) == 1 else "are"
        yield f"{names} {verb} just as fast, within noise"
    if best.first_ns and best.break_even_calls is not None:
        cached = best.cached_first_ns
        warm = f", {duration(cached)} with warm caches" if cached else ""
        calls = count(best.break_even_calls, "call")
        yield f"First call: {duration(best.first_ns)}{warm}; pays off after {calls}"


def _compared(eager: BenchRow | None, row: BenchRow, faster: Ratio) -> str:
    times = f"{time_text(eager)} → {time_text(row)} per call"
    between = interval_text(faster, inverse=faster.high < 1)
    how = speed_text(faster)
    return f"{row.setting.label} is {how} than eager: {times} (another run: {between})"


def _no_faster(group: BenchGroup) -> Iterator[str]:
    choice, nearest = group.choice, group.choice.nearest
    compiled = [row for row in group.rows if not row.setting.is_eager]
    failed = [row.setting.label for row in compiled if row.failure not in {"", INTERRUPTED}]
    if failed and len(failed) == len(compiled):
        yield none_measured(failed)
    for row in choice.slower:
        if row.faster is not None:
            yield _compared(choice.eager, row, row.faster)
    yield from _no_difference([row for row in choice.same if not is_inconclusive(row.faster)])
    unknown = [row.setting.label for row in choice.same if is_inconclusive(row.faster)]
    if unknown:
        yield (
            f"Timings vary too much to compare {listed(unknown)} with eager: measure on an idle "
            "machine, or raise --sessions"
        )
    if nearest is not None and group.reasons:
        is_none = nearest.compiled is not None and not nearest.compiled.graphs
        where = "Nothing was compiled" if is_none else "Compilation findings"
        yield f"{where}: {'; '.join(dict.fromkeys(map(_placed, group.reasons)))}"


def _placed(reason: Finding) -> str:
    place = f" ({reason.place.file}:{reason.place.line})" if reason.place.file else ""
    return f"{title(reason)}{place}"


def _no_difference(rows: Sequence[BenchRow]) -> Iterator[str]:
    known = [(row.faster, row.setting.label) for row in rows if row.faster is not None]
    if not known:
        return
    faster, label = max(known, key=lambda each: each[0].high)
    whose = f"{label} " if len(known) > 1 else ""
    names = listed([each for _, each in known])
    middle = f"{faster.middle:.2f}\N{MULTIPLICATION SIGN}"
    yield (
        f"No measurable difference from eager: {names} ({whose}{middle}; another run: "
        f"{interval_text(faster)})"
    )
