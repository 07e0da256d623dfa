"""What memory takes that the system gives anew in each call, in a sentence."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from inspector.benches.rows import BenchRow
from inspector.benches.sessions import by_session, logs_by_session, middle_of
from inspector.findings.wording import duration, listed
from inspector.model.fresh_memory import FRESH_SHARE

KEEPS_MEMORY = (
    "MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=4294967296 MALLOC_TOP_PAD_=268435456 in the "
    "environment (glibc), or jemalloc by LD_PRELOAD"
)
# Below, other things make the difference: a mebibyte in pages of 4 KiB, and 3 % of the time.
_NOTICEABLE_PAGES = 256
_NOTICEABLE = 1.03
_KEPT = (
    f"with {KEEPS_MEMORY}, for all settings alike, memory is kept, and ratios are of what is "
    "computed"
)


def fresh_memory(rows: Sequence[BenchRow]) -> Iterator[str]:
    """Names the setting with most of it, or whose processes differ by it, and what keeps memory.

    An allocator gives what lies on top of its heap back to the system, and what the program asks
    for next is new, page by page. What lies on top depends on all that the process has allocated
    before, and is another thing from one start to the next (glibc: ``M_TRIM_THRESHOLD`` in
    mallopt(3)).

    Args:
        rows: Rows that were measured.
    """
    found = [(_between(row), row) for row in rows]
    known = [(each, row) for each, row in found if each is not None]
    if not known:
        yield from _in_all_processes(rows)
        return
    ((few, short_ns), (many, long_ns)), row = max(known, key=lambda each: _times(each[0]))
    others = f" (and of {len(known) - 1} more)" if len(known) > 1 else ""
    yield (
        f"calls of {_name(row)}{others} take {duration(round(short_ns))} in one process and "
        f"{duration(round(long_ns))} in another, where more of their memory is fresh from the "
        f"system ({few:,.0f} and {many:,.0f} page faults a call): that is chance, and part of what "
        f"is compared; {_KEPT}"
    )


def _in_all_processes(rows: Sequence[BenchRow]) -> Iterator[str]:
    """That such memory is a good part of a call in all of them."""
    kept = [(_more_ns(row), row) for row in rows if row.kept and row.latency]
    if kept:  # the verdict refers to here
        parts = [
            f"{duration(round(more_ns))} of {_name(row)} ({_faults(row):,.0f} page faults)"
            for more_ns, row in kept
            if row.latency and more_ns >= FRESH_SHARE * row.latency.middle_ns
        ]
        taken = f"of a call, {listed(parts)} are" if parts else "a part of a call is"
        yield f"{taken} memory that is fresh from the system: {_KEPT}"
        return
    shares = [(_taken_ns(row) / row.latency.middle_ns, row) for row in rows if row.latency]
    share, row = max(shares, key=lambda each: each[0], default=(0.0, None))
    if row is None or share < FRESH_SHARE:
        return
    yield (
        f"some {duration(round(_taken_ns(row)))} of a call of {_name(row)} are memory that "
        f"is fresh from the system ({_faults(row):,.0f} page faults of some "
        f"{row.fresh_page_ns:,} ns each): {_KEPT}"
    )


def _more_ns(row: BenchRow) -> float:
    """How much longer a call takes than one with kept memory, both measured."""
    if row.kept is None or row.latency is None:
        return 0.0
    return row.latency.middle_ns - middle_of(row.kept.medians)


def _name(row: BenchRow) -> str:
    return " · ".join(filter(None, (row.workload.label, row.varies, row.setting.label)))


def _taken_ns(row: BenchRow) -> float:
    return _faults(row) * row.fresh_page_ns


def _faults(row: BenchRow) -> float:
    return statistics.median(row.page_faults.values()) if row.page_faults else 0.0


_Session = tuple[float, float]


def _times(between: tuple[_Session, _Session]) -> float:
    return between[1][1] / between[0][1]


def _between(row: BenchRow) -> tuple[_Session, _Session] | None:
    """Faults and ns of a call in the session with the fewest and in that with the most."""
    faults, logs = by_session(row.page_faults), logs_by_session(row.medians)
    sessions = sorted(
        (statistics.fmean(faults[key]), math.exp(logs[key])) for key in faults.keys() & logs.keys()
    )
    if len(sessions) < 2:  # noqa: PLR2004 - a difference needs two
        return None
    between = sessions[0], sessions[-1]
    is_noticeable = sessions[-1][0] - sessions[0][0] >= _NOTICEABLE_PAGES
    return between if is_noticeable and _times(between) >= _NOTICEABLE else None
