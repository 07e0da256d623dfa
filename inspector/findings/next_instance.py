"""Another object as what recompiles a function next, where it was compiled for several."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_instances import shared_instances
from inspector.guards.change import ChangeKind
from inspector.guards.next import NextChange
from inspector.guards.predict import Becomes, FrameGuards
from inspector.model.compilation import Frame


def with_instances(
    frame: Frame, guards: FrameGuards, changes: Sequence[NextChange]
) -> tuple[NextChange, ...]:
    """What recompiles a function next, another object first where several share it.

    What they have otherwise did not change: each of them keeps it.

    Args:
        frame: The function.
        guards: Its cache entries.
        changes: What single changes lead to.
    """
    found = shared_instances(frame)
    own = tuple(_next(guards, name, *told) for name, told in found.items())
    inside = tuple(f"{name}{end}" for name in found for end in ("", ".", "["))
    kept = [_kept(item) if item.name.startswith(inside) else item for item in changes]
    return (*own, *sorted(kept, key=lambda item: not item.changed_before))


def _kept(item: NextChange) -> NextChange:
    return dataclasses.replace(item, changed_before=False)


def _next(guards: FrameGuards, name: str, number: int, classes: str) -> NextChange:
    limit, is_closed = guards.settings.recompile_limit, guards.is_closed
    left = limit - len(guards.entries)
    lead = f"one compilation each, {left} more until the recompile limit"
    if is_closed or left <= 0:
        lead = f"the recompile limit ({limit}) is reached, so each further one runs eagerly"
    shown = user_spelling(name)
    return NextChange(
        kind=ChangeKind.INSTANCE,
        source=name,
        name=shown,
        text=f"{shown} is one of {number} instances of {classes} that differ: {lead}",
        becomes=Becomes.EAGER if is_closed or left <= 0 else Becomes.CONSTANT,
        changed_before=True,
        cause=None,
    )
