"""The symbolic sizes that a recompilation is about: where they were made, what tied them down."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.run.folding.guard_case import GuardCase
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.recompile import RecompileClass, SymbolUse
from inspector.shared.roots import Owner, Roots
from inspector.shared.stack import StackFrame, below_recorder
from inspector.trace.dynamo import SymbolGuard, SymbolSpecialized

_CAN_BE_DYNAMIC = frozenset(
    [RecompileClass.SIZE, RecompileClass.STRIDE, RecompileClass.SYMBOLIC_SHAPE, RecompileClass.INT,
     RecompileClass.FLOAT, RecompileClass.TYPE]
)  # fmt: skip


def specialized_symbols(facts: CompileFacts, roots: Roots) -> tuple[SymbolUse, ...]:
    """The symbolic sizes of a compilation that a line made constant."""
    return tuple(
        SymbolUse(
            symbol=symbol.symbol,
            source=symbol.source,
            value=symbol.text or None,
            made=below_recorder(symbol.stack, roots),
            guarded=_assumed(special, roots),
            specialized=special.value,
            is_inside=bool(_inside(special, roots)),
        )
        for symbol in facts.created()
        if (special := facts.specialized(symbol.source)) is not None
    )


def guarded_symbols(case: GuardCase, roots: Roots) -> Iterator[SymbolUse]:
    """The symbols of the guard: where they were made, and which line tied them down.

    Those of the entry that did not fit; where it had none, those of what was compiled instead and
    made constant at once.
    """
    wanted = _sources(case)
    for facts in (case.entry, case.facts):
        found = [symbol for symbol in facts.created() if symbol.source in wanted]
        for symbol in found:
            special, guard = facts.specialized(symbol.source), facts.guarded(symbol.symbol)
            if facts is case.facts and special is None:
                continue
            at = special or guard
            yield SymbolUse(
                symbol=symbol.symbol,
                source=symbol.source,
                value=symbol.text or None,
                made=below_recorder(symbol.stack, roots),
                guarded=_assumed(at, roots) if at else (),
                is_inside=bool(at and _inside(at, roots)),
                specialized=special.value if special else None,
                held_by=_held_by(case, symbol.source) if special and facts is case.entry else (),
            )
        if found:
            return


def is_dynamic(case: GuardCase) -> bool:
    """Whether what changed is symbolic in what was compiled, and stayed so."""
    if case.kind not in _CAN_BE_DYNAMIC:
        return False  # sizes and numbers become symbolic; dimensions, dtypes and the like do not
    created = [symbol.source for symbol in case.facts.created()]
    if case.kind is RecompileClass.STRIDE:
        prefix = f"{case.source}.stride()"
        wanted = {name for name in created if name.startswith(prefix)}
    else:
        wanted = {*_sources(case)}.intersection(created)
    return any(case.facts.specialized(name) is None for name in wanted)


def _sources(case: GuardCase) -> frozenset[str]:
    """What the symbols of a guard stand for."""
    if case.kind is RecompileClass.SIZE:
        return frozenset({f"{case.source}.size()[{case.failed.guard.index}]"})
    if case.kind is RecompileClass.SYMBOLIC_SHAPE:
        return frozenset(case.sources())
    return frozenset({case.source, f"{case.source}.item()"})


def _held_by(case: GuardCase, source: str) -> tuple[str, ...]:
    """The sources that are dynamic now and were not in the entry, where this one is dynamic too."""
    known = {symbol.source for symbol in case.entry.created()}
    now = [s.source for s in case.facts.created() if case.facts.specialized(s.source) is None]
    return tuple(name for name in now if name not in known) if source in now else ()


def _assumed(event: SymbolGuard | SymbolSpecialized, roots: Roots) -> tuple[StackFrame, ...]:
    """Where a line assumed something: also one of the user's that the compiler itself called."""
    return (*below_recorder(event.stack, roots), *_inside(event, roots))


def _inside(event: SymbolGuard | SymbolSpecialized, roots: Roots) -> tuple[StackFrame, ...]:
    return tuple(item for item in event.inside if roots.owner(item.file) is Owner.PROJECT)
