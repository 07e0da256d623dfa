"""Sizes that torch took for one, as they were equal in the call that was compiled.

Of sizes that are dynamic without a mark (``dynamic=True``), equal ones get one symbol. What makes
that symbol a constant (a weight of the same size, say) makes all of them constants, and where
nothing does, a guard wants them to be equal from then on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inspector.run.cache_entries.relation import normal
from inspector.run.folding.differences import called_with
from inspector.run.folding.guard_case import GuardCase
from inspector.run.recompile import Change, EqualSizes, RecompileClass
from inspector.trace.failed_guard import stripped_source
from inspector.trace.guard_checks import RelationCheck
from inspector.trace.guard_trees import Guard

_DUCK = "duck sizing"  # ShapeEnv.produce_guards in torch/fx/experimental/symbolic_shapes.py
_EQUAL = re.compile(r"(?P<one>\S+\.size\(\)\[\d+\]) == (?P<two>\S+\.size\(\)\[\d+\])")
_BASE = "._base."


def equal_sizes(case: GuardCase, changes: Sequence[Change]) -> EqualSizes | None:
    """The sizes that a cache entry has as one and the call has not; None where there are none."""
    if case.kind is RecompileClass.SIZE:
        return _of_constant(case, changes)
    if case.kind is RecompileClass.SYMBOLIC_SHAPE and _DUCK in case.failed.comment:
        return _of_relations(case)
    return None


def _of_constant(case: GuardCase, changes: Sequence[Change]) -> EqualSizes | None:
    own = f"{case.source}.size()[{case.failed.guard.index}]"
    special = case.entry.specialized(own)
    sources = [source for source in special.sources if _BASE not in source] if special else []
    sized = {f"{each.source}.size()[{each.index}]" for each in changes if _is_size(each)} | {own}
    names = {source: stripped_source(source) for source in sources}
    # What has the constant's value in this call, too, is what needs it.
    kept = tuple(name for source, name in names.items() if source not in sized)
    changed = tuple(name for source, name in names.items() if source in sized)
    return EqualSizes(special.value, changed, kept) if special and kept else None


def _is_size(change: Change) -> bool:
    return change.kind is RecompileClass.SIZE


def _of_relations(case: GuardCase) -> EqualSizes | None:
    entry = case.entry.entry()
    state = called_with(case.facts, entry) if entry else None
    values = {symbol.source: symbol.text for symbol in case.entry.created()}
    value = next((values[source] for source in case.sources() if source in values), "")
    if entry is None or state is None or not value:
        return None
    sizes = {
        source: str(state.number(normal(source))) for source in _alike(case.sources(), entry.guards)
    }
    changed = tuple(stripped_source(size) for size, number in sizes.items() if number != value)
    kept = tuple(stripped_source(size) for size, number in sizes.items() if number == value)
    return EqualSizes(value, changed, kept) if changed else None


def _alike(sizes: Iterable[str], guards: Iterable[Guard]) -> tuple[str, ...]:
    """Some sizes, and all that an entry wants to be equal to them."""
    checks = (guard.check for guard in guards)
    texts = (check.expression for check in checks if isinstance(check, RelationCheck))
    pairs = [match.group("one", "two") for text in texts if (match := _EQUAL.fullmatch(text))]
    found = dict.fromkeys(sizes)
    while more := [pair for pair in pairs if len(found.keys() & {*pair}) == 1]:
        found.update(dict.fromkeys(size for pair in more for size in pair))
    return tuple(found)
