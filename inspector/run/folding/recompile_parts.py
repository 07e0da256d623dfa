"""What else the trees and torch's own remarks say of a recompilation."""

import dataclasses
import itertools
import re
from collections.abc import Iterable

from inspector.records.recompiles import FailedGuards
from inspector.run.cache_entries.relation import identity
from inspector.run.closure_name import ClosureName
from inspector.run.compilation import Compilation
from inspector.run.folding.guard_case import TENSORS, GuardCase
from inspector.run.folding.recompile_facts import GuardLines
from inspector.run.recompile import Limit, Origin, RecompileClass
from inspector.trace.dynamo import CACHE_LIMIT
from inspector.trace.failed_guard import FailedGuard, stripped_source
from inspector.trace.guard_shapes import GuardShape
from inspector.trace.guard_source import without_class_dicts
from inspector.trace.guards import DynamoSettings

_C = RecompileClass
_OF_STATE = frozenset(
    [_C.GRAD_MODE, _C.AUTOCAST, _C.DEFAULT_DTYPE, _C.DETERMINISTIC, _C.NUM_THREADS,
     _C.FUNCTION_MODE, _C.GLOBAL_STATE, _C.DEFAULT_DEVICE, _C.BACKEND]
)  # fmt: skip
_WRAPPERS = re.compile(r"^(?:list\(dict\.keys\(|___from_numpy\(|len\()+")
_FIRST = re.compile(r"^[^.\[(]+")
_SIZE = re.compile(r"\.(?:size|stride)\(\)\[\d+\]$|\.storage_offset\(\)$")
_LAST = re.compile(r"\.\w+(?:\[[^\]]*\])*$")
_MODULE_DICTS = re.compile(r"\._(?:modules|parameters|buffers)\b")
_MODULE_PARTS = ("_modules", "_parameters", "_buffers", "training")
_BASE = re.compile(r"(?P<name>[\w.\[\]'\"]+)\._base\.(?:size|stride|storage_offset)\(\)")
# Guards that are Python functions; the sizes of a view's base are in one of them, too.
_IN_PYTHON = frozenset({"LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD"})
_LONGEST = 10_000
# `_compile` in torch/_dynamo/convert_frame.py, 2.11 to 2.13; without the number 2.6 to 2.10, which
# call it `cache_size_limit` in 2.6.
_LIMIT = re.compile(
    r"exceeding the (?P<name>\w+) cache size limit \(currently set to (?P<n>\d+)\)"
    r"|^(?P<older>\w+) reached"
)
_RAISED = "FailOnRecompileLimitHit"
_CLASS = re.compile(r"<class '(.+)'>")
_CLOSURE = re.compile(
    r"(?P<cell>(?P<function>.+)\.__closure__\[\d+\])\.cell_contents(?P<path>.*)", re.DOTALL
)


def named_source(failed: FailedGuard, entry: GuardLines) -> FailedGuard:
    """The same with what an entry's guards look at, where one raised and torch says what alone.

    A guard on the base of a view finds none; a guard in Python that compares two inputs (``x is
    d['k']``) finds no ``k``. Without such a guard, or where several could be meant, it stays
    without a name.
    """
    shape, before = failed.guard.shape, failed.guard.before or ""
    texts = [text for kind, text in entry.ambient if kind in _IN_PYTHON]
    texts += [
        text for leaves in entry.leaves.values() for kind, text in leaves if kind in _IN_PYTHON
    ]
    guards = [text for text in texts if len(text) <= _LONGEST]
    if shape is GuardShape.VIEW:
        found = {match["name"]: None for text in guards for match in _BASE.finditer(text)}
    elif shape is GuardShape.RAISED and before:
        item = f"[{before.removeprefix('with ')}]"
        sources = [source for text in guards for source in identity(text) or ()]
        found = {name.removesuffix(item): None for name in sources if name.endswith(item)}
    else:
        return failed
    if len(found) != 1:
        return failed
    guard = dataclasses.replace(failed.guard, source=stripped_source(next(iter(found))))
    return dataclasses.replace(failed, guard=guard)


def with_cells(name: str, seen: FailedGuards | None) -> str:
    """A source with the names of closure variables: ``scale of fn``, where the process told them.

    Args:
        name: The source as reasons spell it (``fn.__closure__[0].cell_contents``).
    """
    match = _CLOSURE.fullmatch(name)
    variable = seen.cells.get(match["cell"]) if match and seen else None
    if match is None or variable is None:
        return name
    path = match["path"].removesuffix(".__code__")
    return str(ClosureName(variable, path, with_cells(match["function"], seen)))


def held_by(case: GuardCase, keys: Iterable[str] = ()) -> str:
    """The class of a container's first item, as far as one of the trees has it."""
    items = list(keys)
    if case.kind in {_C.LENGTH, _C.VARARGS}:
        items = ["0", "'0'"]
    sides = itertools.product((case.before, case.now), items)
    types = [lines.types.get(f"{case.name}[{item}]", "") for lines, item in sides]
    # One that is no tensor has no shape, whatever is under the other keys.
    for kind in sorted(types, key=lambda text: text.endswith(TENSORS)):
        match = _CLASS.fullmatch(kind)
        if match:
            return match[1]
    return ""


def limit_of(item: Compilation) -> Limit | None:
    """The limit that forbade a compilation; the exception of ``fullgraph=True`` names none."""
    if not item.hit_limit:
        return None
    failure, settings = item.failure, item.settings or DynamoSettings()
    raised = failure is not None and failure.type == _RAISED
    match = _LIMIT.search(failure.reason) if failure else None
    if match and match["n"]:
        return Limit(match["name"], int(match["n"]), raised)
    if match:
        is_accumulated = match["older"].startswith("accumulated_")
        number = settings.accumulated_limit if is_accumulated else settings.recompile_limit
        keeps = failure is not None and failure.type != CACHE_LIMIT
        return Limit(match["older"], number, raised, keeps)
    # `exceeds_recompile_limit` in torch/_dynamo/cache_size.py asks for the accumulated one first.
    if settings.accumulated_limit <= settings.recompile_limit:
        return Limit("accumulated_recompile_limit", settings.accumulated_limit, raised)
    return Limit("recompile_limit", settings.recompile_limit, raised)


def wrapped(before: GuardLines, now: GuardLines) -> str:
    """The class of what torch's own ``inner(*args, **kwargs)`` calls, as far as a tree says."""
    for lines in (now, before):
        match = _CLASS.fullmatch(lines.types.get("fn", ""))
        if match:
            return match[1]
    return ""


def origin_of(case: GuardCase, source: str, kind: RecompileClass) -> Origin:
    """Where what changed comes from; a plain trace does not tell arguments from closures."""
    name = _SIZE.sub("", _WRAPPERS.sub("", without_class_dicts(case.name)))
    seen = case.seen
    if kind in _OF_STATE:
        return Origin.STATE
    if source.startswith("G[") or name.startswith("G["):
        return Origin.GLOBAL
    base = _FIRST.match(name)
    if base is None:
        return Origin.UNKNOWN
    if ".__closure__" in name or (seen and base[0] in seen.free and "." not in name):
        return Origin.CLOSURE
    if _LAST.search(name):
        return Origin.MODULE_ATTRIBUTE if _is_of_module(case, name) else Origin.ATTRIBUTE
    return Origin.ARGUMENT if seen else Origin.UNKNOWN


def _is_of_module(case: GuardCase, name: str) -> bool:
    """Whether the last attribute of a source is one of an ``nn.Module``."""
    if "nn.Module" in case.failed.hint or _MODULE_DICTS.search(name):
        return True
    owner = _LAST.sub("", name)
    if name.endswith(".training") or (case.seen and owner in case.seen.modules):
        return True
    types = case.before.types
    parts = tuple(f"{owner}.{part}" for part in _MODULE_PARTS)
    if any(known.startswith(parts) for known in types):
        return True
    return types.get(owner, "").startswith("<class 'torch.nn.modules.")
