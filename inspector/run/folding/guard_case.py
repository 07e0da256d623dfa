"""A failed guard, with the guard trees and the symbols on both sides of it."""

from __future__ import annotations

import dataclasses
import re

from inspector.records.recompiles import FailedGuards
from inspector.run.folding.guard_lines import GuardLines
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.recompile import RecompileClass
from inspector.trace.failed_guard import FailedGuard

# Of objects, as Python and torch print them; the digits of a float are none.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+|(?<![\d.e-])\b\d{12,}\b(?!\.\d)")


@dataclasses.dataclass(frozen=True, slots=True)
class GuardCase:
    """A failed guard with all that is known around it.

    Attributes:
        name: What it looks at as reasons spell it.
        source: The same in Dynamo's spelling.
        before: The guard tree of the cache entry.
        now: That of what was compiled instead.
        entry: What else the log says of the cache entry.
        facts: The same of what was compiled instead.
    """

    failed: FailedGuard
    name: str
    source: str
    kind: RecompileClass
    before: GuardLines
    now: GuardLines
    entry: CompileFacts
    facts: CompileFacts

    @property
    def seen(self) -> FailedGuards | None:
        """What the process saw, or None."""
        return self.facts.seen

    def sources(self) -> tuple[str, ...]:
        """All that a symbolic guard looks at, in Dynamo's spelling."""
        names = self.failed.guard.sources
        return tuple(full_source(name, self.before, self.now, self.facts) for name in names)


def without_addresses(text: str) -> str:
    """A text without the addresses in it, which differ from run to run."""
    return _ADDRESS.sub("", text)


def full_source(name: str, before: GuardLines, now: GuardLines, facts: CompileFacts) -> str:
    """The source in Dynamo's spelling: from a tree, or put together."""
    tensor = re.sub(r"\.(?:size|stride)\(\)\[\d+\]$|\.storage_offset\(\)$", "", name)
    rest = name[len(tensor) :]
    for lines in (before, now):
        if tensor in lines.full:
            return lines.full[tensor] + rest
    for became in facts.became:
        if became.source.replace("L['", "").replace("']", "", 1) == tensor:
            return became.source + rest
    match = re.match(r"(?P<base>[A-Za-z_]\w*)(?P<path>[.\[].*|)$", tensor)
    if match is None or match["base"] in {"G", "torch"}:
        return name
    return f"L['{match['base']}']{match['path']}{rest}"
