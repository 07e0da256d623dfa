"""What calls take where the allocator keeps memory, beside what they take as it is."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

from inspector.benches.blocks import Blocks, kept_blocks, medians_of, page_faults_of, timed_blocks
from inspector.benches.ratio import Ratio, known_by_rounds, ratio_of
from inspector.benches.sessions import by_session, ratio_logs
from inspector.events.bench import InspectorBench
from inspector.model.fresh_memory import FRESH_SHARE, is_by_chance, is_kept
from inspector.model.student import student

_MANY = 10  # degrees of freedom: the rounds of all sessions together


@dataclasses.dataclass(frozen=True, slots=True)
class KeptMemory:
    """Calls with an input, of eager PyTorch or of one setting, once memory is kept.

    Attributes:
        medians: The median of each block in ns, by session and round.
        faster: Eager time by this time, both with kept memory; None of eager PyTorch itself.
        logs: The logarithms of that ratio in each round, by session; empty of eager PyTorch.
    """

    medians: Mapping[tuple[int, int], float]
    faster: Ratio | None
    logs: Mapping[int, Sequence[float]]


def make_kept(
    mine: Sequence[InspectorBench], eager: Sequence[InspectorBench], each_ns: tuple[int, int]
) -> KeptMemory | None:
    """What was measured with kept memory.

    A session in which hardly anything was new has kept its memory by itself: it is not timed once
    more, and what was timed of it counts.

    Args:
        mine: What is known of a combination with an input.
        eager: The same of eager PyTorch; nothing for eager PyTorch itself.
        each_ns: What a page takes that is fresh, of both.

    Returns:
        None where nobody measured it, not in all sessions (of fewer it is known less well than the
        ratio beside it, and looks as good), or where memory is not kept after all.
    """
    if not kept_blocks(mine):
        return None
    medians, theirs = (_kept(events, ns) for events, ns in zip((mine, eager), each_ns, strict=True))
    if medians is None or (eager and theirs is None):
        return None
    if not theirs:
        return KeptMemory(medians, None, {})
    return KeptMemory(medians, ratio_of(theirs, medians), ratio_logs(theirs, medians))


def by_chance(events: Sequence[InspectorBench], each_ns: int) -> bool:
    """Whether it is chance how much of a call is memory that the system gives anew.

    See `is_by_chance`: then another process may keep it by itself.

    Args:
        events: What is known of a combination with an input.
        each_ns: What a page takes that is fresh.

    Returns:
        Whether that is so in any session, of most of its page faults.
    """
    mapped = {event.session: event.mapped_faults for event in events if event.what == "keeps"}
    blocks = timed_blocks(events)
    faults, times = by_session(page_faults_of(blocks)), by_session(medians_of(blocks))
    for session in mapped.keys() & faults.keys():
        time_ns, new = (statistics.median(each[session]) for each in (times, faults))
        if is_by_chance(time_ns, new, mapped[session], each_ns):
            return True
    return False


def reaching(
    measured: Ratio | None,
    sessions: Mapping[int, Sequence[float]],
    kept: KeptMemory | None,
) -> Ratio | None:
    """A ratio whose interval has all in it that another run can have, with kept memory or without.

    Student's t alone is of no use there: processes are one thing or another, and nothing in
    between, so that three say nothing. The ends are the outermost of all sessions, those with kept
    memory, too, by as much further as the rounds of a session leave open of it and of another one;
    and those of both intervals by Student's t, where these say something.

    Args:
        measured: The ratio as it is.
        sessions: The logarithms of the rounds' ratios, by session.
        kept: The same with kept memory; None where it is not known, or no other run has it.
    """
    if measured is None or kept is None or kept.faster is None:
        return measured
    rounds = [*sessions.values(), *kept.logs.values()]
    means = [statistics.fmean(each) for each in rounds]
    reach = math.sqrt(2) * student(_MANY) * known_by_rounds(rounds)
    found = [each for each in (measured, kept.faster) if not each.says_nothing]
    low = min([math.exp(min(means) - reach), *(each.low for each in found)])
    high = max([math.exp(max(means) + reach), *(each.high for each in found)])
    return Ratio(low, measured.middle, high)


def page_ns(events: Iterable[InspectorBench]) -> int:
    """What a page takes that is fresh from the system: to touch it first, and to give it back.

    Args:
        events: What is known of a combination, with all inputs; each session has looked for itself.

    Returns:
        The median in ns; 0 where nobody looked.
    """
    found = [
        event.fresh_page.get("touch_ns", 0) + event.fresh_page.get("free_ns", 0)
        for event in events
        if event.what == "fresh"
    ]
    return round(statistics.median(found)) if found else 0


def _kept(events: Sequence[InspectorBench], each_ns: int) -> dict[tuple[int, int], float] | None:
    """The medians with kept memory, by session and round; None where a session has none."""
    timed, kept = timed_blocks(events), kept_blocks(events)
    of_kept = {session for session, _ in kept}
    found = medians_of(kept)
    for session in {session for session, _ in timed} - of_kept:
        alone = {key: block for key, block in timed.items() if key[0] == session}
        if not _keeps_by_itself(alone, each_ns):
            return None
        found |= medians_of(alone)
    return found if _is_kept(timed, kept) else None


def _keeps_by_itself(blocks: Blocks, each_ns: int) -> bool:
    """Whether hardly anything of a call was new."""
    faults = page_faults_of(blocks)
    times = medians_of(blocks)
    return len(faults) == len(times) and (
        statistics.median(faults.values()) * each_ns
        < FRESH_SHARE * statistics.median(times.values())
    )


def _is_kept(timed: Blocks, kept: Blocks) -> bool:
    """Whether fewer pages are new, if any number to speak of was."""
    sessions = {session for session, _ in kept}
    before = page_faults_of({key: block for key, block in timed.items() if key[0] in sessions})
    after = page_faults_of(kept)
    if not kept:
        return True
    if not before or not after:
        return False
    return is_kept(statistics.median(before.values()), statistics.median(after.values()))
