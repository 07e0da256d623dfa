"""What could be won of kernels and calls of libraries, up to what the machine can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from inspector.model.percent import percent
from inspector.profiles.gain import Gain
from inspector.profiles.hot import Hot
from inspector.profiles.kernel_advice import advised_unit, is_about_one
from inspector.profiles.row_names import named, where
from inspector.profiles.work import Bound, Work, limit_of

__all__ = ["kernel_gains"]

_NEAR = 0.5  # of a ceiling: less is not for want of it
_IRREGULAR = frozenset({
    "embedding", "embedding_bag", "embedding_dense_backward", "_embedding_bag", "gather", "index",
    "_embedding_bag_backward", "_embedding_bag_dense_backward", "_embedding_bag_forward_only",
    "index_add", "index_copy", "index_put", "index_put_", "index_select", "scatter", "scatter_add",
    "scatter_reduce", "take",
})  # fmt: skip


def kernel_gains(
    rows: Iterable[Hot],
    advised: Callable[[Work], str],
    *,
    mode: str,
    is_cpu: bool,
    is_hidden: bool,
) -> Iterator[Gain]:
    """One gain for all that a setting is advised for, and that the same limits."""
    alike: dict[tuple[str, Bound, str], list[Hot]] = {}
    for row in rows:
        first = row.first
        if row.share_of_ceiling is None or not row.is_possible or _won_ns(row, is_cpu=is_cpu) <= 0:
            continue
        if first.bound in {Bound.UNKNOWN, Bound.LATENCY}:
            continue
        change = advised(first)
        own = first.name if not change or is_about_one(first, mode, is_cpu=is_cpu) else ""
        alike.setdefault((change or _nothing(row), first.bound, own), []).append(row)
    for (change, _, _), same in alike.items():
        together = Hot(tuple(item for row in same for item in row.all_))
        share = percent(together.share_of_ceiling or 0.0)
        reach = "reach" if together.number > 1 else "reaches"
        library = together.share_of_library
        also = "" if library is None else f" ({percent(library)} of what large products reach)"
        limit = limit_of(together.first)
        yield Gain(
            f"{named(together)}{where(together)} {reach} {share} of the machine's {limit}{also}",
            sum(_won_ns(row, is_cpu=is_cpu) for row in same),
            change,
            is_hidden,
        )


def _nothing(row: Hot) -> str:
    """What is said of equal statements for which no advice is known."""
    operators = set(row.first.operators)
    if (row.share_of_ceiling or 0.0) >= _NEAR:
        return "so near to it only less of it is faster: fewer bytes, or less often"
    if operators & _IRREGULAR:
        return "rows that lie apart are not read and written as fast as rows in order"
    return (
        "no setting is known to make it faster: what it computes takes the time, "
        "`inspect kernels` shows its code"
    )


def _won_ns(row: Hot, *, is_cpu: bool) -> float:
    """What equal statements would win at the ceiling that the advice moves them to."""
    unit = advised_unit(row.first, is_cpu=is_cpu)
    least = [item.least_by_unit_ns.get(unit, item.least_ns or 0.0) for item in row.all_]
    return row.median_ns - sum(least)
