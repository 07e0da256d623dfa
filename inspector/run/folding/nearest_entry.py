"""Which of the failed guards of several cache entries is the cause of a recompilation.

Every entry says the first guard of its own that failed. ``f(x, "a")``, ``f(y, "b")``, and then
``f(z, "a")``: the newest entry says ``mode == 'b'``, and that is no news; that the entry for
``"a"`` did not fit is. The cause is what the entry says whose other guards all pass. Where there
are several such (another batch and another dtype, each of which was compiled before), it is the one
for which torch has a dynamic shape: that can be mended without changing what is computed.

An entry that has no ``idx`` at all differs in one thing, and one with other numbers in it in each
of them; it is the more alike nevertheless. What is inside of something that another entry wants
otherwise as a whole counts as one difference, and as the lesser one. Of entries that differ in one
property of tensors, the one that differs in the fewest tensors is the nearest.
"""

import re
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from inspector.run.cache_entries.entry import is_inside
from inspector.run.cache_entries.state import State
from inspector.run.folding.differences import called_with, differences
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.recompile import Change, RecompileClass
from inspector.trace.failed_guard import FailedGuard

_C = RecompileClass
_UNKNOWN = 1_000
_DYNAMIC = frozenset({_C.SIZE, _C.SYMBOLIC_SHAPE, _C.INT, _C.FLOAT})
# What is a property of tensors: that all inputs have another dtype is one change.
_OF_TENSORS = frozenset(
    [_C.SIZE, _C.STRIDE, _C.DTYPE, _C.DEVICE, _C.LAYOUT, _C.RANK, _C.REQUIRES_GRAD, _C.TENSOR_KIND]
)
_WHOLE = frozenset([_C.NONE, _C.TYPE, _C.OBJECT, _C.FUNCTION, _C.KEYS, _C.ATTRIBUTE])
# What one looks at before one looks into a container, an object or an optional value.
_OUTER = _WHOLE | {_C.LENGTH, _C.VARARGS}
_TENSOR = re.compile(r"([A-Za-z_][^\s(]*?)\.(?:size|stride)\(")
_Rank: TypeAlias = tuple[int, int, int, int]


def nearest(
    failures: Sequence[FailedGuard],
    facts: CompileFacts,
    entry_of: Callable[[FailedGuard], CompileFacts],
) -> tuple[FailedGuard, tuple[Change, ...]]:
    """The failed guard that tells most, and all in which its entry differs from the call.

    Args:
        failures: The failed guards, the newest entry's first; at least one.
    """
    own = called_with(facts, None)
    found = [(item, *_differences(item, facts, entry_of, own)) for item in failures]
    outer = _outer([changes for _, changes, _ in found])
    ranks = [_rank(changes, state, outer) for _, changes, state in found]
    best = found[ranks.index(min(ranks))]  # of several the newest
    return best[0], best[1]


def _differences(
    failed: FailedGuard,
    facts: CompileFacts,
    entry_of: Callable[[FailedGuard], CompileFacts],
    own: State | None,
) -> tuple[tuple[Change, ...], State | None]:
    entry = entry_of(failed).entry()
    state = own or (called_with(facts, entry) if entry else None)
    if entry is None or state is None:
        return (), None
    return differences(entry, state, facts), state


def _outer(found: Sequence[Sequence[Change]]) -> frozenset[str]:
    """What is another as a whole for one entry, while another one looks into it."""
    every = {change.source for changes in found for change in changes}
    whole = {change.source for changes in found for change in changes if change.kind in _OUTER}
    return frozenset(
        source for source in whole - {""} if any(is_inside(each, (source,)) for each in every)
    )


def _rank(changes: Sequence[Change], state: State | None, outer: Collection[str]) -> _Rank:
    """How far an entry is from the call; the smallest is the nearest."""
    if state is None:
        return _UNKNOWN, 0, 0, 0
    if not changes:
        return 1, 3, 1, 1  # all but the guard that torch names passes
    causes = {_cause(change, outer) for change in changes}
    if all(change.is_dynamic for change in changes):
        kind = 1  # torch's own answer
    else:
        kind = 2 if all(change.kind in _DYNAMIC for change in changes) else 3
    # That there is another object altogether is further away than that it has another size.
    whole = sum(kind_ in _WHOLE or source in outer for kind_, source in causes if kind_)
    differing = {(change.kind, change.name) for change in changes}
    return len(causes), kind, whole, len(differing)


def _cause(change: Change, outer: Collection[str]) -> tuple[RecompileClass | None, str]:
    """What counts as one change: of tensors all that have it, of conditions those on one tensor.

    All that is inside of what another entry wants otherwise as a whole is one, of no class.
    """
    if change.kind is _C.SYMBOLIC_SHAPE:
        tensor = _TENSOR.search(change.name)
        return change.kind, tensor[1] if tensor else change.name
    if change.kind in _OF_TENSORS:
        return change.kind, ""
    around = [source for source in outer if is_inside(change.source, (source,))]
    return (None, min(around, key=len)) if around else (change.kind, change.source)
