"""What to do about a recompilation where the line to change is not the user's: a library's."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from inspector.findings.recompile_case import FixCase
from inspector.findings.recompile_fix_limit import is_near_limit, raised_limit
from inspector.findings.recompile_fix_shared import dynamic_sources, environment
from inspector.findings.recompile_fix_state import STATE
from inspector.findings.recompile_fix_tensors import TENSORS
from inspector.model.recompile import RecompileClass
from inspector.model.roots import Owner

_SIZES = frozenset({RecompileClass.SIZE, RecompileClass.SYMBOLIC_SHAPE})
_DYNAMIC = _SIZES | {RecompileClass.INT}
# What the caller passes; a condition on a size is the function's.
_PASSED = frozenset(TENSORS) - {RecompileClass.SYMBOLIC_SHAPE}
_ALL_SIZES = "Compile with torch.compile(…, dynamic=True): every size of every input is dynamic."
_MOST_NAMED = 8


def is_foreign(case: FixCase) -> bool:
    """Whether the usual advice would change a line of a library, of torch or of generated code."""
    kind = case.first.kind
    is_own = not case.file or case.roots.owner(case.file) in {Owner.PROJECT, Owner.GENERATED}
    if (
        kind in STATE
        or case.kept_over is not None
        or (is_own and case.set_at is not None and case.apart_by is None)
    ):
        return False
    changes = [change for item in case.items for change in item.changes]
    is_passed = kind in _PASSED and not any(change.specialized for change in changes)
    return case.site.is_foreign or not (is_own or is_passed)


def foreign_fixes(case: FixCase) -> Iterator[str]:
    """Settings, which need no change of the line; the best first."""
    if case.apart_by is not None:
        yield (
            f"Fix the graph break at {case.place(case.apart_by)}: because of it {case.called} is "
            "compiled on its own."
        )
        return
    every = dataclasses.replace(case, items=case.history or case.items)
    sources = dynamic_sources(every.items, case.history)
    if case.first.kind in _DYNAMIC and sources:
        ways = [environment(every), _ALL_SIZES]
        yield from ways if len(sources) <= _MOST_NAMED else reversed(ways)
    else:
        yield (
            "Each value is a program of its own, compiled once and then found: nothing is needed "
            "where the values are few."
        )
    if is_near_limit(case):
        yield from raised_limit(case)
