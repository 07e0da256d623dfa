"""What sizes and numbers say of a recompilation: symbols, bounds, and sizes taken for one."""

import re
from collections.abc import Iterable, Iterator, Sequence

from inspector.run.cache_entries.relation import normal, relation_holds, telling
from inspector.run.folding.differences import CAN_BE_DYNAMIC, called_with
from inspector.run.folding.guard_case import GuardCase
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.recompile import Bound, Change, EqualSizes, RecompileClass, SymbolUse
from inspector.shared.roots import Owner, Roots
from inspector.shared.stack import below_recorder
from inspector.trace.dynamo import CreateSymbol
from inspector.trace.failed_guard import stripped_source
from inspector.trace.guard_checks import RelationCheck
from inspector.trace.guard_source import spelled
from inspector.trace.guard_trees import Guard

_C = RecompileClass
_NUMBERS = frozenset({_C.SIZE, _C.INT})
# Strides follow from sizes; that a size is neither 0 nor 1 is said of every one.
_UNTOLD = re.compile(r".*\.stride\(\)|\(?2 <= [^<>=]*$")
_DUCK = "duck sizing"  # ShapeEnv.produce_guards in torch/fx/experimental/symbolic_shapes.py
_EQUAL = re.compile(r"(?P<one>\S+\.size\(\)\[\d+\]) == (?P<two>\S+\.size\(\)\[\d+\])")
_BASE = "._base."


def specialized_symbols(facts: CompileFacts, roots: Roots) -> tuple[SymbolUse, ...]:
    """The symbolic sizes of a compilation that a line made constant."""
    created = (each for each in facts.created() if facts.specialized(each.source))
    return tuple(_symbol_use(symbol, facts, roots) for symbol in created)


def guarded_symbols(case: GuardCase, roots: Roots) -> Iterator[SymbolUse]:
    """The symbols of the guard: where they were made, and which line tied them down.

    Those of the entry that did not fit; where it had none, those of what was compiled instead and
    made constant at once.
    """
    wanted = _sources(case)
    for facts in (case.entry, case.facts):
        found = [symbol for symbol in facts.created() if symbol.source in wanted]
        for symbol in found:
            special = facts.specialized(symbol.source)
            if special or facts is not case.facts:
                held = _held_by(case, symbol.source) if special and facts is case.entry else ()
                yield _symbol_use(symbol, facts, roots, held)
        if found:
            return


def _symbol_use(
    symbol: CreateSymbol, facts: CompileFacts, roots: Roots, held_by: tuple[str, ...] = ()
) -> SymbolUse:
    special = facts.specialized(symbol.source)
    at = special or facts.guarded(symbol.symbol)
    # Also a line of the user's that the compiler itself called.
    inside = [f for f in at.inside if roots.owner(f.file) is Owner.PROJECT] if at else []
    return SymbolUse(
        symbol=symbol.symbol,
        source=symbol.source,
        value=symbol.text or None,
        made=below_recorder(symbol.stack, roots),
        guarded=(*below_recorder(at.stack, roots), *inside) if at else (),
        is_inside=bool(inside),
        specialized=special.value if special else None,
        held_by=held_by,
    )


def is_dynamic(case: GuardCase) -> bool:
    """Whether what changed is symbolic in what was compiled, and stayed so."""
    if case.kind not in CAN_BE_DYNAMIC:
        return False  # sizes and numbers become symbolic; dimensions, dtypes and the like do not
    created = [symbol.source for symbol in case.facts.created()]
    if case.kind is _C.STRIDE:
        prefix = f"{case.source}.stride()"
        wanted = {name for name in created if name.startswith(prefix)}
    else:
        wanted = {*_sources(case)}.intersection(created)
    return any(case.facts.specialized(name) is None for name in wanted)


def _sources(case: GuardCase) -> frozenset[str]:
    """What the symbols of a guard stand for."""
    if case.kind is _C.SIZE:
        return frozenset({f"{case.source}.size()[{case.guard.index}]"})
    if case.kind is _C.SYMBOLIC_SHAPE:
        return frozenset(case.sources())
    return frozenset({case.source, f"{case.source}.item()"})


def _held_by(case: GuardCase, source: str) -> tuple[str, ...]:
    """The sources that are dynamic now and were not in the entry, where this one is dynamic too."""
    known = {symbol.source for symbol in case.entry.created()}
    now = [s.source for s in case.facts.created() if case.facts.specialized(s.source) is None]
    return tuple(name for name in now if name not in known) if source in now else ()


def bounds_of(facts: CompileFacts, changes: Sequence[Change], roots: Roots) -> Iterator[Bound]:
    """What was compiled instead wants of what became dynamic: relations, the shortest first."""
    before: dict[str, int] = {}
    for change in changes:
        if change.kind in _NUMBERS and change.is_dynamic and change.before.isdecimal():
            size = "" if change.index is None else f".size()[{change.index}]"
            before[normal(f"{change.source}{size}")] = int(change.before)
    entry = facts.entry() if before else None
    state = called_with(facts, None) if entry else None
    if entry is None or state is None:
        return
    relations = {
        guard.check.expression: guard
        for guard in entry.guards
        if isinstance(guard.check, RelationCheck) and not _UNTOLD.match(guard.check.expression)
    }
    found = (text for whole in before for text in telling(relations, whole, state.number))
    for expression in dict.fromkeys(found):
        # What was compiled before does not keep it.
        parts = relation_holds(
            expression, lambda source: before.get(normal(source), state.number(source))
        )
        # A guard's comment has the innermost line alone.
        cause = relations[expression].cause
        made = facts.assumed_at(cause.file, cause.line) if cause and cause.line else None
        stack = below_recorder(made.stack, roots) if made else ()
        yield Bound(expression, spelled(expression), parts is False, stack)


def equal_sizes(case: GuardCase, changes: Sequence[Change]) -> EqualSizes | None:
    """The sizes that a cache entry has as one and the call has not; None where there are none."""
    if case.kind is _C.SIZE:
        own = f"{case.source}.size()[{case.guard.index}]"
        special = case.entry.specialized(own)
        sources = [source for source in special.sources if _BASE not in source] if special else []
        sized = {f"{c.source}.size()[{c.index}]" for c in changes if c.kind is _C.SIZE} | {own}
        names = {source: stripped_source(source) for source in sources}
        # What has the constant's value in this call, too, is what needs it.
        kept = tuple(name for source, name in names.items() if source not in sized)
        changed = tuple(name for source, name in names.items() if source in sized)
        return EqualSizes(special.value, changed, kept) if special and kept else None
    if case.kind is _C.SYMBOLIC_SHAPE and _DUCK in case.failed.comment:
        return _of_relations(case)
    return None


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
