"""How a report says what was not fused, and why; the same in every format."""

import dataclasses
from collections.abc import Sequence

from inspector.features.graph.fusion import Fusion, Pair
from inspector.features.graph.not_fused import grouped
from inspector.features.graph.pair_reasons import TEMPLATES
from inspector.features.graph.report import GraphReport
from inspector.features.graph.step_names import described
from inspector.features.graph.wording import TIMES
from inspector.report.wording import count, duration, size
from inspector.shared.gpus import Gpu

_MOST_CALLS = 3
_LEAST_BYTES = 1024
# What is so much smaller than the largest does not come first, whatever could be changed.
_FIRST = 10
_LEAST_NS = 50  # less would be 0.0 µs


@dataclasses.dataclass(frozen=True, slots=True)
class UnfusedLine:
    """What was not fused, and why.

    Attributes:
        saved_bytes: What all of them would save, or of calls of libraries the largest.
        is_advised: Whether to change it is worth a thought before others.
    """

    title: str
    saved: str
    reason: str
    change: str
    saved_bytes: int = 0
    is_advised: bool = False


def unfused_head(report: GraphReport) -> str:
    """What the bytes, and the times, are."""
    gpu = report.gpu
    times = f"; times at {gpu.bandwidth / 1e12:.2f} TB/s" if gpu and gpu.bandwidth else ""
    return f"upper bounds on the extra memory traffic{times}"


def unfused_lines(report: GraphReport, fusion: Fusion) -> list[UnfusedLine]:
    """What was not fused; first what can be changed, and then those that would save most.

    Pairs with calls of libraries, where the reason is always the same, are one line. Those that
    would save next to nothing are left out.
    """
    gpu = report.gpu
    lines: list[UnfusedLine] = []
    calls: dict[tuple[str, bool], list[tuple[Pair, int]]] = {}
    for pair, number in grouped(fusion):
        if pair.saved_bytes * number < _LEAST_BYTES:
            continue
        if pair.reason is not None and pair.reason.kind == "library":
            key = pair.reason.change, _is_left(pair)
            calls.setdefault(key, []).append((pair, number))
        else:
            lines.append(_unfused_line(fusion, pair, number, gpu))
    lines += [_calls_line(fusion, pairs, gpu) for pairs in calls.values()]
    is_done = str(report.run.meta.settings.get("mode") or "").startswith("max-autotune")
    if is_done or (gpu is not None and not gpu.tunes_products):
        lines = [
            dataclasses.replace(line, change="", is_advised=False)
            if line.change == TEMPLATES
            else line
            for line in lines
        ]
    most = max((line.saved_bytes for line in lines), default=0)

    def order(line: UnfusedLine) -> tuple[bool, int]:
        is_first = line.is_advised and line.saved_bytes * _FIRST >= most
        return not is_first, -line.saved_bytes

    return sorted(lines, key=order)


def _unfused_line(fusion: Fusion, pair: Pair, number: int, gpu: Gpu | None) -> UnfusedLine:
    said = (
        f"Torch reports: {pair.torch_reason}." if pair.torch_reason else "Torch reports no reason."
    )
    return UnfusedLine(
        title=_title(fusion, pair),
        saved=saved_line(pair.saved_bytes, number, gpu),
        reason=pair.reason.sentence if pair.reason else said,
        change=pair.reason.change if pair.reason else "",
        saved_bytes=pair.saved_bytes * number,
        is_advised=bool(pair.reason and pair.reason.change) and not _is_left(pair),
    )


def _calls_line(fusion: Fusion, pairs: Sequence[tuple[Pair, int]], gpu: Gpu | None) -> UnfusedLine:
    """Many pairs in one line; a buffer is in several of them, so their bytes have no sum."""
    if len(pairs) == 1:
        return _unfused_line(fusion, *pairs[0], gpu)
    pairs = sorted(pairs, key=lambda item: -item[0].saved_bytes)
    largest = pairs[0][0]
    number = sum(times for _, times in pairs)
    shown = "; ".join(
        f"{_title(fusion, pair)} {saved_line(pair.saved_bytes, times, None)}"
        for pair, times in pairs[:_MOST_CALLS]
    )
    more = f"; {len(pairs) - _MOST_CALLS} more" if len(pairs) > _MOST_CALLS else ""
    what = "ATen fallbacks" if _is_left(largest) else "library calls"
    return UnfusedLine(
        title=f"{count(number, 'pair')} with {what}",
        saved=f"up to {saved_line(largest.saved_bytes, 1, gpu)} each",
        reason=f"Inductor cannot fuse into them: {shown}{more}.",
        change=largest.reason.change if largest.reason else "",
        saved_bytes=largest.saved_bytes,
        is_advised=bool(largest.reason and largest.reason.change) and not _is_left(largest),
    )


def _is_left(pair: Pair) -> bool:
    """Whether one is an operator that Inductor has no code for: seldom is it worth a change."""
    return pair.reason is not None and "eager" in pair.reason.sentence


def _title(fusion: Fusion, pair: Pair) -> str:
    return " and ".join(
        described(fusion.steps[place], place + 1) for place in (pair.first, pair.second)
    )


def saved_line(size_bytes: int, number: int, gpu: Gpu | None) -> str:
    """So much is read and written twice, in each of some pairs, and how long that takes."""
    text = f"{number} {TIMES} {size(size_bytes)}" if number > 1 else size(size_bytes)
    if gpu is None or not gpu.bandwidth:
        return text
    time_ns = round(size_bytes * number / gpu.bandwidth * 1e9)
    return f"{text} ({'< 0.1 µs' if time_ns < _LEAST_NS else duration(time_ns)})"
