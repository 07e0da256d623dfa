"""Whether what changed is of another object than the one that a cache entry was compiled for."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.builder.recompile_facts import CompileFacts
from inspector.model.recompile import OtherInstance


def other_instance(
    names: Iterable[str], entry: CompileFacts, facts: CompileFacts, *, hit_limit: bool
) -> OtherInstance | None:
    """The object that has what changed, where it is another one; else None.

    Args:
        names: What changed, as reasons spell it.
        entry: What was compiled for the cache entry.
        facts: What was compiled instead.
        hit_limit: Whether nothing was, as the limit is reached.
    """
    changed = tuple(names)
    known = facts.instances or (facts.seen.instances if facts.seen else {})
    for name, now in known.items():
        before = entry.instances.get(name)
        if before is None or before.number == now.number:
            continue
        if any(each == name or each.startswith((f"{name}.", f"{name}[")) for each in changed):
            alive = facts.seen.alive.get(name) if facts.seen else None
            # Others of the class share the code where each is compiled, and may where it is full.
            alive = alive if alive and (alive.alone or hit_limit) else None
            return OtherInstance(
                name,
                (before.type, now.type),
                (before.number, now.number),
                alive.count if alive else None,
                alone=alive is not None and alive.alone,
            )
    return None
