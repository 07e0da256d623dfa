"""The words and numbers of one model over many inputs."""

from collections.abc import Iterator, Sequence

from inspector.features.bench.rows import INTERRUPTED
from inspector.features.bench.varied import VariedInput, VariedSetting
from inspector.features.bench.wording import (
    error_text,
    faster_text,
    interval_text,
    is_inconclusive,
    none_measured,
    speed_text,
)
from inspector.features.bench.wrong_wording import wrong_line
from inspector.features.recompiles.wording import changed
from inspector.report.wording import count, duration, listed

VARIED_COLUMNS = ("input", "first call", "cached", "faster", "error", "compiled")
_NOTICEABLE = 0.8
_MOST_NAMED = 3


def varied_cells(item: VariedInput) -> tuple[str, ...]:
    """A row's cells, as `VARIED_COLUMNS` names them."""
    row = item.row
    return (
        item.label,
        duration(row.first_ns) if row.first_ns else "-",
        duration(round(row.latency.middle_ns)) if row.latency else "-",
        faster_text(row.faster) if row.faster else "",
        error_text(row),
        _compiled(item),
    )


def _compiled(item: VariedInput) -> str:
    if item.row.failure:
        return item.row.failure
    if item.row.setting.is_eager:
        return ""
    if item.row.compiled is not None and not item.row.compiled.graphs:
        return "no graph: runs eagerly"
    if not item.compiled:
        return "no: runs eagerly (recompile limit reached)" if item.is_after_limit else "no"
    if any(each.hit_limit for each in item.recompiles):
        return "limit reached: runs eagerly"
    return f"again: {changed(item.recompiles[0])}" if item.recompiles else "yes"


def varied_totals(found: VariedSetting) -> str:
    """What all inputs cost together."""
    if found.round_ns is None or found.first_ns is None:
        return found.failure
    took = f"{duration(round(found.round_ns))} for one call with each input"
    parts = [took]
    if not found.setting.is_eager:
        if found.faster is not None:
            parts[0] += f" ({faster_text(found.faster)})"
        inputs = count(len(found.inputs), "input")
        took = duration(round(found.first_ns))
        if found.is_all_eager:
            parts.append(f"no graph was compiled in {took}: every call runs eagerly")
        else:
            parts.append(f"compiled for {found.compiled_inputs} of {inputs} in {took}")
        if found.break_even_rounds is not None:
            rounds = count(found.break_even_rounds, "call")
            parts.append(f"pays off after {rounds} with each input")
    return ", ".join(parts)


def varied_verdict(found: Sequence[VariedSetting]) -> Iterator[str]:
    """Which setting to take: for the shortest calls, and for the least compiling."""
    eager = next((item for item in found if item.setting.is_eager), None)
    compiled = [item for item in found if not item.setting.is_eager]
    wrong = [item for item in compiled if any(each.row.is_wrong for each in item.inputs)]
    for item in wrong:
        inputs = [each for each in item.inputs if each.row.is_wrong]
        whole = len(inputs) == len(item.inputs) > 1
        names = (
            f"all {len(inputs)} inputs"
            if whole
            else listed([it.label for it in inputs], _MOST_NAMED)
        )
        eagers = [each.row for each in eager.inputs] if eager is not None else []
        yield wrong_line([each.row for each in inputs], f" for {names}", eagers)
    failed = [item.setting.label for item in compiled if item.failure not in {"", INTERRUPTED}]
    if eager is not None and not eager.failure and failed and len(failed) == len(compiled):
        yield none_measured(failed)
    eagerly = [item.setting.label for item in compiled if item.is_all_eager]
    if eagerly:
        yield f"{listed(eagerly)} compiled nothing: `inspect explain` shows why"
    measured = [item for item in compiled if item.round_ns is not None and item not in wrong]
    if eager is not None and eager.round_ns is not None and measured:
        yield from _shortest(eager, measured)


def _shortest(eager: VariedSetting, measured: Sequence[VariedSetting]) -> Iterator[str]:
    """The setting with the shortest calls of those that are known to be faster, if any is."""
    faster = [item for item in measured if item.is_faster and not is_inconclusive(item.faster)]
    unknown = [item.setting.label for item in measured if is_inconclusive(item.faster)]
    fastest = min(faster or measured, key=lambda item: item.round_ns or 0.0)
    took = _took(eager, fastest)
    nearest = f"closest: {fastest.setting.label}, {took}"
    if not faster and unknown:
        yield (
            f"Timings vary too much to compare {listed(unknown)} with eager: measure on an idle "
            f"machine, or raise --sessions; {nearest}"
        )
        return
    if not faster:
        yield f"No setting is faster than eager over these inputs; {nearest}"
        return
    yield f"Fastest: {fastest.setting.label}, {took}"
    least = min(faster, key=lambda item: item.first_ns or 0.0)
    if least is not fastest and (least.first_ns or 0.0) < _NOTICEABLE * (fastest.first_ns or 0.0):
        times = (duration(round(item.first_ns or 0)) for item in (least, fastest))
        yield f"Least compilation: {least.setting.label}, {' instead of '.join(times)}"


def _took(eager: VariedSetting, item: VariedSetting) -> str:
    """How it compares with eager PyTorch, and where another run would be."""
    times = " → ".join(duration(round(each.round_ns or 0)) for each in (eager, item))
    if item.faster is None:
        return f"{times} for one call with each input"
    another = interval_text(item.faster, inverse=item.faster.high < 1)
    how = speed_text(item.faster)
    return f"{how} than eager for one call with each input ({times}; another run: {another})"
