"""A failed guard, with the guard trees and the symbols on both sides of it."""

import dataclasses
import re

from inspector.records.recompiles import FailedGuards, SeenValue
from inspector.run.folding.recompile_facts import CompileFacts, GuardLines
from inspector.run.recompile import RecompileClass
from inspector.trace.failed_guard import FailedGuard
from inspector.trace.guard_shapes import Guard

TENSORS = ("Tensor'>", "Parameter'>")  # how the text of a type ends
# Of objects, as Python and torch print them; the digits of a float are none.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+|(?<![\d.e-])\b\d{12,}\b(?!\.\d)")


@dataclasses.dataclass(frozen=True, slots=True)
class GuardCase:
    """A failed guard with all that is known around it.

    Attributes:
        entry: What the log says of the cache entry.
        facts: The same of what was compiled instead.
    """

    failed: FailedGuard
    entry: CompileFacts
    facts: CompileFacts
    kind: RecompileClass = RecompileClass.OTHER

    @property
    def guard(self) -> Guard:
        """The guard as far as its spelling is known."""
        return self.failed.guard

    @property
    def name(self) -> str:
        """What it looks at as reasons spell it."""
        return self.guard.source

    @property
    def source(self) -> str:
        """The same in Dynamo's spelling."""
        return self._full(self.name)

    @property
    def before(self) -> GuardLines:
        """The guard tree of the cache entry, empty where it is not known."""
        return self.entry.lines()

    @property
    def now(self) -> GuardLines:
        """The guard tree of what was compiled instead, likewise."""
        return self.facts.lines()

    @property
    def seen(self) -> FailedGuards | None:
        """What the process saw, or None."""
        return self.facts.seen

    @property
    def seen_now(self) -> SeenValue | None:
        """What the process saw of what the guard looks at, or None."""
        return self.seen.now.get(self.name) if self.seen else None

    def sources(self) -> tuple[str, ...]:
        """All that a symbolic guard looks at, in Dynamo's spelling."""
        return tuple(map(self._full, self.guard.sources))

    def _full(self, name: str) -> str:
        """The source in Dynamo's spelling: from a tree, or put together."""
        tensor = re.sub(r"\.(?:size|stride)\(\)\[\d+\]$|\.storage_offset\(\)$", "", name)
        rest = name[len(tensor) :]
        for lines in (self.before, self.now):
            if tensor in lines.full:
                return lines.full[tensor] + rest
        match = re.match(r"(?P<base>[A-Za-z_]\w*)(?P<path>[.\[].*|)$", tensor)
        if match is None or match["base"] in {"G", "torch"}:
            return name
        return f"L['{match['base']}']{match['path']}{rest}"


def without_addresses(text: str) -> str:
    """A text without the addresses in it, which differ from run to run."""
    return _ADDRESS.sub("", text)
