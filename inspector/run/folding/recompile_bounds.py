"""Within which sizes and numbers what became dynamic stays without a compilation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.run.cache_entries.relation import normal, relation_holds, telling
from inspector.run.cache_entries.state import State
from inspector.run.folding.differences import called_with
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.recompile import Bound, Change, RecompileClass
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame, below_recorder
from inspector.trace.guard_checks import RelationCheck
from inspector.trace.guard_source import spelled
from inspector.trace.guard_trees import Guard

_NUMBERS = frozenset({RecompileClass.SIZE, RecompileClass.INT})
# Strides follow from sizes; that a size is neither 0 nor 1 is said of every one.
_UNTOLD = re.compile(r".*\.stride\(\)|\(?2 <= [^<>=]*$")


def bounds_of(facts: CompileFacts, changes: Sequence[Change], roots: Roots) -> Iterator[Bound]:
    """What was compiled instead wants of what became dynamic: relations, the shortest first."""
    before = dict(_before(changes))
    entry = facts.entry() if before else None
    state = called_with(facts, None) if entry else None
    if entry is None or state is None:
        return
    relations = {
        guard.check.expression: guard
        for guard in entry.guards
        if isinstance(guard.check, RelationCheck) and not _UNTOLD.match(guard.check.expression)
    }
    told: dict[str, None] = {}
    for whole in before:
        told.update(dict.fromkeys(telling(relations, whole, state.number)))
    for expression in told:
        yield Bound(
            expression=expression,
            text=spelled(expression),
            parts=_parts(expression, before, state),
            stack=_stack(relations[expression], facts, roots),
        )


def _before(changes: Sequence[Change]) -> Iterator[tuple[str, int]]:
    """What became dynamic, and what it was when the entry was compiled."""
    for change in changes:
        if change.kind in _NUMBERS and change.is_dynamic and change.before.isdecimal():
            size = "" if change.index is None else f".size()[{change.index}]"
            yield normal(f"{change.source}{size}"), int(change.before)


def _parts(expression: str, before: Mapping[str, int], state: State) -> bool:
    """Whether what was compiled before does not keep a relation."""

    def known(source: str) -> int | float | bool | None:
        return before.get(normal(source), state.number(source))

    return relation_holds(expression, known) is False


def _stack(guard: Guard, facts: CompileFacts, roots: Roots) -> tuple[StackFrame, ...]:
    """Where a relation was made: a guard's comment has the innermost line alone."""
    cause = guard.cause
    made = facts.assumed_at(cause.file, cause.line) if cause and cause.line else None
    return below_recorder(made.stack, roots) if made else ()
