"""Gathers what is logged under one compile id about what became symbolic, and its guards."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Self

from inspector.records.recompiles import FailedGuards, Instance, SeenValue
from inspector.run.cache_entries.entry import Entry, entry_of_tree
from inspector.run.folding.spans import Spans
from inspector.trace.compile_id import CompileId
from inspector.trace.dynamo import CreateSymbol, SymbolGuard, SymbolSpecialized
from inspector.trace.failed_guard import stripped_source
from inspector.trace.guard_checks import IdCheck
from inspector.trace.guard_trees import Guard, GuardTree, read_guards
from inspector.trace.guards import DynamoGuards, DynamoSettings
from inspector.trace.payload import Payload
from inspector.trace.timing import ChromiumEvent

SymbolEvent = CreateSymbol | SymbolGuard | SymbolSpecialized

# torch/_dynamo/pgo.py, 2.11 to 2.13: torch's own value for TORCH_COMPILE_DYNAMIC_SOURCES, on the
# end of the span `pgo.dynamic_whitelist`.
_IN_TENSOR = ".item()"
_WHITELIST = "recompile_dynamic_whitelist"
_KEY_LINE = re.compile(r"list\(dict\.keys\((.+)\)\)\[(\d+)\] == (.+?)\s*(?:  # .*)?$")


@dataclasses.dataclass(frozen=True, slots=True)
class GuardLines:
    """What a guard tree says about single sources, by the spelling that reasons have.

    Attributes:
        types: The type of what a source led to, as torch shows it.
        leaves: Kind and code of every guard on a source.
        ambient: Guards on no source (global state, symbolic shapes).
    """

    types: Mapping[str, str] = dataclasses.field(default_factory=dict)
    leaves: Mapping[str, tuple[tuple[str, str], ...]] = dataclasses.field(default_factory=dict)
    full: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ambient: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, tree: GuardTree) -> Self:
        """Sorts a tree by source."""
        leaves: dict[str, tuple[tuple[str, str], ...]] = {}
        for guard in tree.guards:
            name = stripped_source(guard.source)
            leaves[name] = (*leaves.get(name, ()), (guard.kind, guard.code))
        types = {stripped_source(each.source): each.value_type for each in tree.managers}
        named = (each.source for each in reversed(tree.managers) if each.source)
        full = {stripped_source(source): source for source in named}
        return cls(types, leaves, full, leaves.pop("", ()))

    def of_kind(self, source: str, kind: str) -> tuple[str, ...]:
        """The codes of a source's guards of one kind."""
        return tuple(text for name, text in self.leaves.get(source, ()) if name == kind)

    def ordered_keys(self, name: str) -> tuple[str, ...]:
        """The keys that the tree wants of a dict, in order."""
        found: dict[int, str] = {}
        for leaves in self.leaves.values():
            for _, text in leaves:
                match = _KEY_LINE.match(text)
                if match and stripped_source(match[1]) == name:
                    found[int(match[2])] = match[3]
        return tuple(found[index] for index in sorted(found))


@dataclasses.dataclass(slots=True)
class CompileFacts:
    """What one compilation's log says beyond its outcome."""

    seen: FailedGuards | None = None
    identities: Mapping[str, SeenValue] = dataclasses.field(default_factory=dict)
    instances: Mapping[str, Instance] = dataclasses.field(default_factory=dict)
    whitelist: tuple[str, ...] = ()
    spans: Spans = dataclasses.field(default_factory=Spans)
    _attempt: int = -1
    _symbols: list[SymbolEvent] = dataclasses.field(default_factory=list)
    _guards: Payload | None = None
    _lines: GuardLines | None = None
    _entry: Entry | None = None

    def add(self, attempt: int, event: SymbolEvent | DynamoGuards) -> None:
        """Takes an event; what an attempt said that was given up is forgotten."""
        if isinstance(event, DynamoGuards):
            self._guards, self._lines, self._entry = event.text, None, None
            return
        if attempt != self._attempt:
            self._attempt = attempt
            self._symbols.clear()
        self._symbols.append(event)

    def add_timed(self, event: ChromiumEvent) -> None:
        """Takes a span, or what torch says with one."""
        if _WHITELIST in event.arguments:
            sources = str(event.arguments[_WHITELIST]).split(",")
            self.whitelist = tuple(filter(None, sources))
        self.spans.add(event)

    def created(self) -> tuple[CreateSymbol, ...]:
        """The symbols of the last attempt, in order."""
        return tuple(event for event in self._symbols if isinstance(event, CreateSymbol))

    def guarded(self, symbol: str) -> SymbolGuard | None:
        """The first assumption about a symbol."""
        named = re.compile(rf"\b{re.escape(symbol)}\b")
        for event in self._symbols:
            if isinstance(event, SymbolGuard) and named.search(event.expression):
                return event
        return None

    def assumed_at(self, file: str, line: int) -> SymbolGuard | None:
        """The first assumption that a line made; of the file the end of its name is enough."""
        for event in self._symbols:
            if isinstance(event, SymbolGuard) and event.stack:
                at = event.stack[-1]
                if at.line == line and at.file.replace("\\", "/").endswith(f"/{file}"):
                    return event
        return None

    def specialized(self, source: str) -> SymbolSpecialized | None:
        """What made a size a constant; the source as torch spells it (``L['x'].size()[0]``)."""
        for event in self._symbols:
            if isinstance(event, SymbolSpecialized) and source in event.sources:
                return event
        return None

    def lines(self) -> GuardLines:
        """Its guard tree by source; of one that was cut off, what is left of it."""
        if self._lines is None:
            tree = self._tree()
            self._lines = GuardLines.of(tree) if tree else GuardLines()
        return self._lines

    def entry(self) -> Entry | None:
        """Its guards, typed, and the values of what is dynamic; None where they were not logged."""
        tree = self._tree() if self._entry is None else None
        if tree is not None:
            symbols = dict(self._values())
            entry = entry_of_tree(CompileId(None, None), tree, symbols, DynamoSettings())
            guards = tuple(_named(guard, self.identities) for guard in entry.guards)
            self._entry = dataclasses.replace(entry, guards=guards)
        return self._entry

    def _tree(self) -> GuardTree | None:
        if self._entry is not None:
            return self._entry.tree
        try:
            return read_guards(self._guards) if self._guards else None
        except OSError:  # the log is gone
            return None

    def forget(self) -> None:
        """Drops what was read of its guards, which thousands of guards make large."""
        self._lines = self._entry = None

    def _values(self) -> Iterator[tuple[str, float]]:
        """The values of the symbols; a float's is text.

        What torch calls ``….item()`` is in a tensor, which stays one whatever is in it.
        """
        for symbol in self.created():
            number = symbol.value if symbol.value is not None else _number(symbol.text)
            if symbol.source and not symbol.source.endswith(_IN_TENSOR) and number is not None:
                yield symbol.source, number


def _named(guard: Guard, identities: Mapping[str, SeenValue]) -> Guard:
    """A guard with what the process saw at the address that it names."""
    seen = identities.get(guard.check.id) if isinstance(guard.check, IdCheck) else None
    if seen is None or not isinstance(guard.check, IdCheck):
        return guard
    return dataclasses.replace(guard, check=dataclasses.replace(guard.check, seen=seen))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
