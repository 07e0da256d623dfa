"""Which of the failed guards of several cache entries is the cause of a recompilation.

Every entry says the first guard of its own that failed. ``f(x, "a")``, ``f(y, "b")``, and then
``f(z, "a")``: the newest entry says ``mode == 'b'``, and that is no news; that the entry for
``"a"`` did not fit is. The cause is what the entry says that is nearest to what was compiled
instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from inspector.builder.recompile_facts import CompileFacts
from inspector.events.failed_guard import FailedGuard
from inspector.events.guard_lines import GuardLines
from inspector.events.guard_shapes import GuardShape

__all__ = ["nearest"]

_COMMENT = "  # "
_SIZED = re.compile(r"\.(?:size|stride)\(\)\[\d+\]$|\.storage_offset\(\)$")
_SHAPES = frozenset({GuardShape.SIZE, GuardShape.STRIDE, GuardShape.RANK, GuardShape.SYMBOLIC})


def nearest(
    failures: Sequence[FailedGuard],
    facts: CompileFacts,
    entry_of: Callable[[FailedGuard], CompileFacts],
) -> FailedGuard:
    """The failed guard that tells most; the newest entry's, where nothing tells them apart.

    Args:
        failures: The failed guards, the newest entry's first; at least one.
        facts: What was compiled instead.
        entry_of: Finds what was compiled for an entry.
    """
    first = failures[0]
    if len({_subject(item) for item in failures}) == 1:
        return first
    now = _leaves(facts.lines())
    if now:
        # Fewest guards that what was compiled instead does not have as well.
        return min(failures, key=lambda item: len(_leaves(entry_of(item).lines()) - now))
    return next((item for item in failures if not _is_old_news(item, failures, facts, entry_of)),
                first)  # fmt: skip


def _subject(failed: FailedGuard) -> tuple[str, str]:
    """What a guard is about; all that is said of one tensor's sizes and strides is one thing."""
    source = _SIZED.sub("", failed.guard.source)
    return ("shape" if failed.guard.shape in _SHAPES else failed.guard.shape.value, source)


def _leaves(lines: GuardLines) -> frozenset[str]:
    every = [*lines.ambient, *(leaf for leaves in lines.leaves.values() for leaf in leaves)]
    return frozenset(text.partition(_COMMENT)[0].strip() for _, text in every)


def _is_old_news(
    failed: FailedGuard,
    failures: Sequence[FailedGuard],
    facts: CompileFacts,
    entry_of: Callable[[FailedGuard], CompileFacts],
) -> bool:
    """Whether another entry wants just the value that this one did not."""
    name = failed.guard.source
    seen = facts.seen.now.get(name) if facts.seen else None
    if failed.guard.shape is not GuardShape.EQUALS or seen is None:
        return False
    for other in failures:
        if other.guard.source != name:
            guards = entry_of(other).lines().of_kind(name, "EQUALS_MATCH")
            wanted = {text.partition(_COMMENT)[0].strip().rpartition(" == ")[2] for text in guards}
            if seen.text in wanted:
                return True
    return False
