"""The cache entries of a frame with their guards."""

import bisect
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.run.cache_entries.relation import normal
from inspector.run.compilation import Frame
from inspector.trace.compile_id import CompileId
from inspector.trace.guard_checks import Check, LengthCheck, OtherCheck, RelationCheck, TypeCheck
from inspector.trace.guard_source import Origin, origin_of
from inspector.trace.guard_trees import Guard, GuardTree, Manager, read_guards
from inspector.trace.guards import DynamoSettings

_HINT = "integer attributes of the nn.Module"


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """A cache entry.

    Attributes:
        guards: The same, and what guard managers check by themselves.
        symbols: Values of what it keeps dynamic when it was compiled, by source.
    """

    compile_id: CompileId
    tree: GuardTree
    guards: tuple[Guard, ...]
    symbols: Mapping[str, float]
    settings: DynamoSettings


def entries_of(frame: Frame) -> Iterator[Entry]:
    """The cache entries of a frame, the oldest first; those whose guards were logged.

    Raises:
        OSError: The log is gone.
    """
    for compilation in frame.compilations:
        if compilation.guards_text is not None and compilation.has_guarded_code is not False:
            tree, settings = read_guards(compilation.guards_text), compilation.settings
            yield entry_of_tree(
                compilation.compile_id, tree, compilation.symbols, settings or DynamoSettings()
            )


def entry_of_tree(
    compile_id: CompileId, tree: GuardTree, symbols: Mapping[str, float], settings: DynamoSettings
) -> Entry:
    """An entry out of its tree, and of what was logged beside it."""
    modules = _modules(tree)
    guards = tuple(_owned(guard, modules) for guard in tree.guards)
    return Entry(
        compile_id=compile_id,
        tree=tree,
        guards=(*guards, *_of_dicts(tree), *_reached(tree)),
        symbols=symbols,
        settings=settings,
    )


def _modules(tree: GuardTree) -> tuple[str, ...]:
    """Sources that are modules, whatever the user calls them: torch looks into their dicts."""
    found = {
        manager.source.rpartition("._")[0]
        for manager in tree.managers
        if manager.source.endswith(("._modules", "._parameters", "._buffers"))
    }
    found |= {
        guard.source.rpartition(".")[0]
        for guard in tree.guards
        if guard.cause and _HINT in guard.cause.note
    }
    return tuple(sorted(found - {""}))


def _owned(guard: Guard, modules: tuple[str, ...]) -> Guard:
    inside = guard.origin is Origin.INPUT and any(
        guard.source == module or guard.source.startswith(f"{module}.") for module in modules
    )
    return dataclasses.replace(guard, origin=Origin.MODULE) if inside else guard


def _of_dicts(tree: GuardTree) -> Iterator[Guard]:
    """A manager of a dict checks its class and length itself (DictGuardManager, guards.cpp)."""
    pairs: dict[int, set[int]] = {}
    for manager in tree.managers:
        if manager.pair is not None:
            pairs.setdefault(manager.parent, set()).add(manager.pair)
    by_source = {guard.source: guard for guard in tree.guards}
    for manager in tree.managers:
        if manager.kind == "GuardManager" or not manager.source or "Dict" not in manager.kind:
            continue
        for check in (
            TypeCheck(manager.value_type, ""),
            LengthCheck(len(pairs.get(manager.number, ()))),
        ):
            yield _checked_by(manager, check, by_source.get(manager.source))


def _reached(tree: GuardTree) -> Iterator[Guard]:
    """A value that nothing checks must be there still: to reach it is a check."""
    checked = {guard.manager for guard in tree.guards}
    for manager in tree.managers:
        if manager.source and manager.number not in checked:
            yield _checked_by(manager, OtherCheck(""))


def _checked_by(manager: Manager, check: Check, like: Guard | None = None) -> Guard:
    return Guard(
        manager=manager.number,
        kind=manager.kind,
        source=manager.source,
        name=manager.name,
        origin=like.origin if like else origin_of(manager.source),
        check=check,
        code="",
        cause=like.cause if like else None,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class GuardIndex:
    """Guards by source.

    Attributes:
        by_source: Positions of those that look at one source, by its normal spelling.
    """

    guards: Sequence[Guard]
    by_source: Mapping[str, Sequence[int]]
    names: Sequence[str]
    relations: Sequence[int]

    def of(self, source: str) -> Iterator[Guard]:
        """The guards that look at a source, in order."""
        return (self.guards[at] for at in self.by_source.get(source, ()))

    def keys_of(self, root: str) -> Iterator[int]:
        """Positions of the guards that look at the keys of a dict."""
        yield from self._from(f"list(dict.keys({root}))[")

    def inside(self, root: str) -> Iterator[int]:
        """Positions of the guards that look at what is reached from a source."""
        yield from self._from(f"{root}.")
        yield from self._from(f"{root}[")

    def _from(self, begin: str) -> Iterator[int]:
        at = bisect.bisect_left(self.names, begin)
        while at < len(self.names) and self.names[at].startswith(begin):
            yield from self.by_source[self.names[at]]
            at += 1


def index_of(guards: Iterable[Guard]) -> GuardIndex:
    """Sorts guards by source."""
    every = tuple(guards)
    found: dict[str, list[int]] = {}
    relations: list[int] = []
    for at, guard in enumerate(every):
        if isinstance(guard.check, RelationCheck):
            relations.append(at)
        else:
            found.setdefault(normal(guard.source), []).append(at)
    return GuardIndex(every, found, sorted(found), relations)


def is_inside(source: str, roots: Iterable[str]) -> bool:
    """Whether a source is reached from one of some others."""
    return any(source.startswith((f"{root}[", f"{root}.")) for root in roots)
