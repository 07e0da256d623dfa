"""Values that are told apart in every combination: three flags are eight programs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from inspector.events.compile_id import CompileId
from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_key import key_of
from inspector.findings.wording import listed
from inspector.model.recompile import Answer, Recompile, RecompileClass

_C = RecompileClass
_Part: TypeAlias = tuple[RecompileClass, str, str]
_TOLD_APART = frozenset(
    [_C.INT, _C.FLOAT, _C.BOOL, _C.STR, _C.ENUM, _C.NONE, _C.CONSTANT, _C.TRAINING, _C.GRAD_MODE,
     _C.DTYPE, _C.KEYS, _C.LENGTH, _C.ATTRIBUTE, _C.RANK, _C.REQUIRES_GRAD]
)  # fmt: skip
_KEYED = frozenset({_C.KEYS, _C.ATTRIBUTE})
_TWO = 2
_MOST_NAMED = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Multiplied:
    """Values of a function that are told apart together.

    Attributes:
        names: What changes, as the user would write it.
        values: How many values each was seen with.
        compiled: How many of their combinations were compiled.
        limit: How many versions torch compiles at most.
    """

    names: tuple[str, ...]
    values: tuple[int, ...]
    compiled: int
    limit: int

    @property
    def combinations(self) -> int:
        """How many programs all of them would be."""
        return math.prod(self.values)

    @property
    def exceeds_limit(self) -> bool:
        """Whether torch compiles fewer than all of them."""
        return self.combinations > self.limit

    def told(self) -> str:
        """It in one sentence."""
        product = " × ".join(map(str, self.values))  # noqa: RUF001 - a product
        names = listed(self.names, _MOST_NAMED)
        over = f", and torch stops at {self.limit}" if self.exceeds_limit else ""
        return (
            f"{names} are told apart in every combination: {product} = {self.combinations} "
            f"programs, {self.compiled} of them compiled so far{over}"
        )


def multiplied(history: Iterable[Recompile], limit: int) -> Multiplied | None:
    """What multiplies in a function; None where each of its values was compiled once.

    Args:
        history: All recompilations of the function, in order.
        limit: How many versions torch compiles at most.
    """
    versions: dict[CompileId | None, dict[_Part, str]] = {}
    first: dict[_Part, str] = {}
    for item in history:
        own = dict(versions.get(item.entry, {}))
        for part, before, now in _sides(item):
            first.setdefault(part, before)
            versions.setdefault(item.entry, {}).setdefault(part, before)
            own[part] = now
        if item.answer is not Answer.LIMIT:
            versions[item.compile_id] = own
    # What a version was never told apart by, it has as the first one.
    seen = {part: {known.get(part, first[part]) for known in versions.values()} for part in first}
    parts = [part for part, values in seen.items() if len(values) > 1]
    values = tuple(len(seen[part]) for part in parts)
    compiled = len({tuple(v.get(part, first[part]) for part in parts) for v in versions.values()})
    alone = 1 + sum(number - 1 for number in values)
    if len(parts) < _TWO or compiled <= alone:
        return None
    names = tuple(dict.fromkeys(_shown(part) for part in parts))
    return Multiplied(names, values, compiled, limit)


def _shown(part: _Part) -> str:
    _, name, key = part
    return f"{key} in {user_spelling(name)}" if key else user_spelling(name)


def _sides(item: Recompile) -> Iterator[tuple[_Part, str, str]]:
    """What was told apart for good, with its value in the entry and in the call."""
    if item.answer is not Answer.DYNAMIC:
        before, now = (value.text if value else "" for value in (item.before, item.now))
        yield from _side(item.kind, item.name, before, now)
    for change in item.changes:
        if not change.is_dynamic and change.name != item.name:
            yield from _side(change.kind, change.name, change.before, change.now)


def _side(kind: _C, name: str, before: str, now: str) -> Iterator[tuple[_Part, str, str]]:
    if kind in _TOLD_APART and name and before and now:
        # ``with 'mask'``: each key is a matter of its own.
        yield (kind, name, key_of(before) if kind in _KEYED else ""), before, now
