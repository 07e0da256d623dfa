"""What changed in the guards of functions that both sides compiled."""

import collections
import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from inspector.features.diff.frames import FramePair
from inspector.run.cache_entries.entry import entries_of
from inspector.trace.guard_trees import Guard

# Guards whose text has nothing but the id of an object, which is another one in every process.
_IDENTITY = frozenset({"ID_MATCH", "WEAKREF_ALIVE", "DICT_VERSION", "CLOSURE_MATCH", "TYPE_MATCH"})
_ID = re.compile(r"\d{7,}|0x[0-9a-f]{6,}")
_Texts: TypeAlias = collections.Counter[tuple[str, str, str]]
"""Kind, name and text of guards, and how often they are there."""
_Guards: TypeAlias = dict[tuple[int, int], _Texts]
"""By number of the function and of its entry."""


@dataclasses.dataclass(frozen=True, slots=True)
class GuardChange:
    """A guard that only one side has, or whose check differs.

    Attributes:
        function: The function whose cache entries have it.
        name: Guarded value in torch's notation; empty for a relation between sizes.
        before: What it checked in A, or an empty string.
        after: What it checks in B, or an empty string.
    """

    function: str
    kind: str
    name: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True, slots=True)
class GuardsDiff:
    """The guards of all cache entries.

    Attributes:
        before: Number of guards in A.
    """

    before: int
    after: int
    changes: tuple[GuardChange, ...]


NO_GUARDS = GuardsDiff(0, 0, ())


def guards_diff(pairs: Sequence[FramePair]) -> GuardsDiff:
    """Compares the guards of the first entries with each other, and so on.

    What a function of its own has now (behind a graph break, say) is neither new nor gone.

    Raises:
        OSError: A log is gone.
    """
    sides: tuple[_Guards, _Guards] = {}, {}
    alone: tuple[_Guards, _Guards] = {}, {}
    for index, pair in enumerate(pairs):
        is_pair = pair.before is not None and pair.after is not None
        for at, frame in enumerate((pair.before, pair.after)):
            found = (sides if is_pair else alone)[at]
            for number, entry in enumerate(entries_of(frame) if frame else ()):
                found[index, number] = _texts(entry.tree.guards)
    if not any(sides):
        return NO_GUARDS
    changes = [
        change
        for key in sides[0]
        if key in sides[1]
        for change in _changes(pairs[key[0]].name, sides[0][key], sides[1][key])
    ]
    left, right = ({item for texts in side.values() for item in texts} for side in alone)
    changes = [
        item for item in changes
        if (item.kind, item.name, item.after) not in left or item.before
        if (item.kind, item.name, item.before) not in right or item.after
    ]  # fmt: skip
    before, after = (sum(sum(texts.values()) for texts in (*one.values(), *other.values()))
                     for one, other in zip(sides, alone, strict=True))  # fmt: skip
    return GuardsDiff(before, after, tuple(dict.fromkeys(changes)))


def _changes(function: str, before: _Texts, after: _Texts) -> Iterator[GuardChange]:
    """What one side has more often; of equal kind and name the first belongs to the first."""
    old, new = (_by_name(side) for side in (before - after, after - before))
    for kind, name in dict.fromkeys((*old, *new)):
        texts = old.get((kind, name), []), new.get((kind, name), [])
        for one, other in itertools.zip_longest(*texts, fillvalue=""):
            yield GuardChange(function, kind, name, one, other)


def _by_name(texts: _Texts) -> Mapping[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for kind, name, text in texts.elements():
        found.setdefault((kind, name), []).append(text)
    return found


def _texts(guards: Iterable[Guard]) -> _Texts:
    found: _Texts = collections.Counter()
    for guard in guards:
        code = guard.code.replace(guard.source, guard.name) if guard.source else guard.code
        name = _ID.sub("…", guard.name)
        text = name or guard.kind if guard.kind in _IDENTITY else _ID.sub("…", code)
        if text:
            found[guard.kind, name, text] += 1
    return found
