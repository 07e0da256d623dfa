"""Which part of a cache key changed between two recordings.

Torch prints a key as lines ``[hash] name: value``, one per part
(``FxGraphCachePickler.debug_lines`` in torch/_inductor/codecache.py, 2.11 and 2.13). The hash
decides whether a part changed: a value can hold addresses, and can be cut off.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from inspector.costs.key_parts import change_of
from inspector.model.cache_lookup import CacheLookup, CacheState
from inspector.model.cold_start import Change, KeyChange, KeyVerdict
from inspector.model.run import Process, Run

_LINE = re.compile(
    r"\[(?P<hash>\w+)\] (?P<name>[^\s:\[]+(?:\[[^\]]*\])?): ?(?P<value>.*)", re.DOTALL
)
# What a graph is known by in another recording: which cache, which code, its how-manieth
# compilation, forward or backward, and its how-manieth graph there.
_Graph: TypeAlias = tuple[int, str, str, str, int, bool, int]


def key_changes(run: Run, other: Run) -> tuple[KeyChange, ...]:
    """How the cache keys of a run differ from those of another one.

    Graphs that were found in both recordings are left out, and those that only one of them has.
    """
    before, now = _graphs(other), _graphs(run)
    return tuple(
        _compared(graph, before[graph], lookup)
        for graph, lookup in now.items()
        if graph in before and {before[graph].state, lookup.state} != {CacheState.HIT}
    )


def unmatched(run: Run, other: Run) -> tuple[int, int]:
    """How many graphs only this run looked for, and how many only the other one."""
    before, now = _graphs(other), _graphs(run)
    return len(now.keys() - before.keys()), len(before.keys() - now.keys())


def _graphs(run: Run) -> dict[_Graph, CacheLookup]:
    """The graphs whose keys are known.

    Ranks are compared with the same rank, and other processes in order. A code object is known by
    the name of its file and its own, for its line and its folder can be others.
    """
    found: dict[_Graph, CacheLookup] = {}
    ordinals: collections.Counter[tuple[object, ...]] = collections.Counter()
    for index, process in enumerate(run.processes):
        rank = index if process.rank is None else process.rank
        frames = _frames(process)
        for lookup in process.lookups:
            if not lookup.key:
                continue
            file, name, number = frames.get(
                (lookup.compile_id, lookup.occurrence), ("", lookup.compile_id, 0)
            )
            graph = (rank, lookup.cache, file, name, number, lookup.is_backward)
            found[*graph, ordinals[graph]] = lookup
            ordinals[graph] += 1
    return found


def _frames(process: Process) -> Mapping[tuple[str, int], tuple[str, str, int]]:
    """(file name, name, how-manieth compilation of it) by compile id and occurrence."""
    found: dict[tuple[str, int], tuple[str, str, int]] = {}
    numbers: collections.Counter[tuple[str, str]] = collections.Counter()
    for time in process.compile_times:
        key = (time.compile_id, time.occurrence)
        if key in found:
            continue
        code = (time.file.replace("\\", "/").rpartition("/")[2], time.name or time.compile_id)
        found[key] = (*code, numbers[code])
        numbers[code] += 1
    return found


def _compared(graph: _Graph, before: CacheLookup, now: CacheLookup) -> KeyChange:
    changes = tuple(_changes(before.components, now.components))
    return KeyChange(
        cache=now.cache,
        process=graph[0],
        name=graph[3],
        compile_id=now.compile_id,
        is_backward=now.is_backward,
        before=before.state.value,
        now=now.state.value,
        verdict=_verdict(before, now, changes),
        changes=changes if before.key != now.key else (),
    )


def _verdict(before: CacheLookup, now: CacheLookup, changes: Sequence[Change]) -> KeyVerdict:
    if before.key == now.key:
        return KeyVerdict.SAME
    if changes:
        return KeyVerdict.CHANGED
    known = before.components and now.components
    return KeyVerdict.HIDDEN if known else KeyVerdict.UNKNOWN


def _changes(before: Sequence[str], now: Sequence[str]) -> Iterator[Change]:
    if not before or not now:
        return
    old, new = _parts(before), _parts(now)
    for name in dict.fromkeys((*new, *old)):
        was, is_now = old.get(name), new.get(name)
        if was is None or is_now is None or was[0] != is_now[0]:
            yield change_of(name, was and was[1], is_now and is_now[1])


def _parts(lines: Sequence[str]) -> dict[str, tuple[str, str]]:
    """(hash, value) by name."""
    matches = (_LINE.fullmatch(line) for line in lines)
    return {match["name"]: (match["hash"], match["value"]) for match in matches if match}
