"""Which sizes a function needs as constants, over all of its recompilations.

A line that works for one size makes it a constant each time. A size that was a constant once,
because another input of the same size was, is dynamic where both are. So is one that was taken for
another size, which was equal then.
"""

from __future__ import annotations

from collections.abc import Iterable

from inspector.run.recompile import Recompile, RecompileClass, SymbolUse
from inspector.trace.failed_guard import stripped_source


def constants(history: Iterable[Recompile]) -> frozenset[str]:
    """The sizes (``L['x'].size()[0]``) for which a mark is an error."""
    made: set[str] = set()
    released: set[str] = set()
    for item in history:
        shared = item.equal_sizes.changed if item.equal_sizes else ()
        own = {
            use.source
            for use in item.symbols
            if use.specialized and not use.held_by and stripped_source(use.source) not in shared
        }
        made |= own
        for change in item.changes:
            if change.kind is RecompileClass.SIZE and change.index is not None:
                source = f"{change.source}.size()[{change.index}]"
                made |= {source} if change.specialized is not None else set()
                released |= {source} if change.is_dynamic and source not in own else set()
    return frozenset(made - released)


def specialized_use(item: Recompile, history: Iterable[Recompile]) -> SymbolUse | None:
    """The symbol of a guard that a line makes a constant each time, or None."""
    use = next((use for use in item.symbols if use.specialized and not use.held_by), None)
    if use is None or item.kind not in {RecompileClass.SIZE, RecompileClass.SYMBOLIC_SHAPE}:
        return use
    return use if use.source in constants((item, *history)) else None
