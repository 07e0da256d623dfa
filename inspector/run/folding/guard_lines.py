"""What a guard tree says about single sources, by the spelling that reasons have."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.trace.failed_guard import stripped_source
from inspector.trace.guard_trees import GuardTree


@dataclasses.dataclass(frozen=True, slots=True)
class GuardLines:
    """What a guard tree says.

    Attributes:
        types: The type of what a source led to, as torch shows it.
        leaves: Kind and code of every guard on a source.
        ambient: Guards on no source (global state, symbolic shapes).
    """

    types: Mapping[str, str] = dataclasses.field(default_factory=dict)
    leaves: Mapping[str, tuple[tuple[str, str], ...]] = dataclasses.field(default_factory=dict)
    full: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ambient: tuple[tuple[str, str], ...] = ()

    def of_kind(self, source: str, kind: str) -> tuple[str, ...]:
        """The codes of a source's guards of one kind."""
        return tuple(text for name, text in self.leaves.get(source, ()) if name == kind)

    def state(self) -> str:
        """What the tree wants of the global state, or an empty string."""
        return next((text for kind, text in self.ambient if kind == "GLOBAL_STATE"), "")


def guard_lines(tree: GuardTree) -> GuardLines:
    """Sorts a tree by source."""
    leaves: dict[str, tuple[tuple[str, str], ...]] = {}
    for guard in tree.guards:
        name = stripped_source(guard.source)
        leaves[name] = (*leaves.get(name, ()), (guard.kind, guard.code))
    named = {stripped_source(each.source): each for each in reversed(tree.managers) if each.source}
    types = {stripped_source(each.source): each.value_type for each in tree.managers}
    full = {name: manager.source for name, manager in named.items()}
    return GuardLines(types, leaves, full, leaves.pop("", ()))
