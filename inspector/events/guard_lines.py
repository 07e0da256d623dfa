"""``dynamo_cpp_guards_str``: what a guard tree says about single sources, read line by line.

``GuardManagerWrapper.__str__`` in torch/_dynamo/guards.py (2.4 to 2.13) prints one line per
manager (``GuardManager: source=L['x'], accessed_by=…, type=<class 'torch.Tensor'>, …``; the type
since 2.9) and one per leaf (``EQUALS_MATCH: L['n'] == 3  # …``).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from inspector.events.failed_guard import stripped_source
from inspector.events.float_guards import floats_by_name

_MANAGER = re.compile(
    r"^[| +-]*(?:\w+: )?\w*GuardManager: source=(?P<source>.*?)"
    r"(?:, accessed_by=.*?)?(?:, type=(?P<type>.*?)(?:, tag_safe=.*)?)?$"
)
_LEAF = re.compile(r"^[| ]*\+- (?P<kind>[A-Z][A-Z_]+): (?P<text>.*)$")


@dataclasses.dataclass(frozen=True, slots=True)
class GuardLines:
    """What a guard tree says.

    Attributes:
        types: The type of what a source led to, as torch shows it, by source.
        leaves: Kind and text of every leaf below a source's manager, by source as reasons spell it.
        full: The source in Dynamo's spelling, by source as reasons spell it.
        ambient: Leaves that belong to no source (global state, symbolic shapes).
    """

    types: Mapping[str, str]
    leaves: Mapping[str, tuple[tuple[str, str], ...]]
    full: Mapping[str, str]
    ambient: tuple[tuple[str, str], ...]

    def of_kind(self, source: str, kind: str) -> tuple[str, ...]:
        """The texts of a source's leaves of one kind; the source as reasons spell it."""
        return tuple(text for name, text in self.leaves.get(source, ()) if name == kind)

    def state(self) -> str:
        """What the tree wants of the global state, or an empty string."""
        return next((text for kind, text in self.ambient if kind == "GLOBAL_STATE"), "")


def read_guard_lines(text: str) -> GuardLines:
    """Reads a printed guard tree; lines of other shapes are passed over."""
    types: dict[str, str] = {}
    leaves: dict[str, list[tuple[str, str]]] = {}
    full: dict[str, str] = {}
    ambient: list[tuple[str, str]] = []
    source: str | None = None
    for line in floats_by_name(text).splitlines():
        manager = _MANAGER.match(line)
        if manager:
            source = stripped_source(manager["source"])
            full.setdefault(source, manager["source"])
            types[source] = manager["type"] or ""
            continue
        leaf = _LEAF.match(line)
        if leaf is None:
            continue
        # What stands at the root's own level belongs to no manager.
        outside = source is None or line.startswith("+- ")
        group = ambient if outside else leaves.setdefault(str(source), [])
        group.append((leaf["kind"], leaf["text"]))
    return GuardLines(
        types=types,
        leaves={name: tuple(found) for name, found in leaves.items()},
        full=full,
        ambient=tuple(ambient),
    )
