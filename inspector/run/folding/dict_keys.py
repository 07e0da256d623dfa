"""Which keys a dict has on the two sides of a guard, as far as trees and the process tell."""

import re
from collections.abc import Iterable, Sequence

from inspector.records.recompiles import FailedGuards
from inspector.run.folding.guard_case import GuardCase
from inspector.run.folding.recompile_facts import GuardLines
from inspector.run.recompile import Change, RecompileClass
from inspector.trace.guard_shapes import GuardShape

_SIDE = re.compile(r"with(?:out)? (?P<key>.+)", re.DOTALL)
_KEY = r"\[(?P<key>'[^']*'|-?\d+)\]"


def came_and_went(
    case: GuardCase, changes: Iterable[Change]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys that a call has and the entry's had not, and the reverse; empty where unknown."""
    if case.kind is not RecompileClass.KEYS or not case.name:
        return (), ()
    guard = case.guard
    if guard.shape is GuardShape.HAS_KEY:
        # The code asks for some keys alone: what else came is no matter.
        asked = [(guard.before or "", guard.now or "")]
        asked += [
            (change.before, change.now)
            for change in changes
            if change.kind is case.kind and change.name == case.name
        ]
        return _keys_of(now for _, now in asked), _keys_of(before for before, _ in asked)
    before, now = side_of(case, is_now=False), side_of(case, is_now=True)
    if before is None or now is None:
        return (), ()
    came, went = (
        tuple(key for key in one if key not in other)
        for one, other in ((now, before), (before, now))
    )
    return came, went


def _keys_of(sides: Iterable[str]) -> tuple[str, ...]:
    found = (_SIDE.fullmatch(side) for side in sides if side.startswith("with "))
    return tuple(dict.fromkeys(match["key"] for match in found if match))


def side_of(case: GuardCase, *, is_now: bool) -> tuple[str, ...] | None:
    """The keys of the dict in the entry's call, or in this one; None where they are not known."""
    facts, lines = (case.facts, case.now) if is_now else (case.entry, case.before)
    length = None if is_now else case.guard.before
    return known_keys(lines, facts.seen, case.name, length)


def known_keys(
    lines: GuardLines, seen: FailedGuards | None, name: str, length: str | None = None
) -> tuple[str, ...] | None:
    """All keys of a dict, or None where they are not known.

    Args:
        length: How many there are, or None where the guard does not say.
    """
    value = seen.now.get(name) if seen else None
    if value is not None and value.length == len(value.keys):
        return value.keys
    ordered = lines.ordered_keys(name)
    if ordered:
        return ordered
    # A key that the code reads is in the tree, too: where all of them are, there are no others.
    item = re.compile(re.escape(name) + _KEY)
    found = [match["key"] for source in lines.types if (match := item.fullmatch(source))]
    return tuple(found) if str(len(found)) == length else None


def keys_text(keys: Sequence[str] | None, length: str | None) -> str | None:
    """``keys 'x', 'mask'``; where they are not known, how many there are."""
    if keys:
        return f"keys {', '.join(keys)}"
    if keys is not None or length == "0":
        return "no keys"
    if length is None or not length.isdecimal():
        return None
    return "1 key" if length == "1" else f"{length} keys"
