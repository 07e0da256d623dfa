"""What else the trees and torch's own remarks say of a recompilation."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from inspector.builder.guard_case import GuardCase
from inspector.events.failed_guard import FailedGuard, stripped_source
from inspector.events.guard_lines import GuardLines
from inspector.events.guard_shapes import GuardShape
from inspector.events.guards import DynamoSettings
from inspector.model.compilation import Compilation
from inspector.model.recompile import Limit, RecompileClass

__all__ = ["changed_sizes", "held_by", "limit_of", "named_view", "wrapped"]

_BASE = re.compile(r"(?P<tensor>[\w.\[\]'\"]+)\._base\.(?:size|stride|storage_offset)\(\)")
_DYNAMIC_TOKEN = "AutoDynamic.token"  # noqa: S105 - torch/_dynamo/pgo.py: dynamic before
# `_compile` in torch/_dynamo/convert_frame.py, 2.11 to 2.13.
_LIMIT = re.compile(r"exceeding the (?P<name>\w+) cache size limit \(currently set to (?P<n>\d+)\)")
_RAISED = "FailOnRecompileLimitHit"
_CLASS = re.compile(r"<class '(.+)'>")


def named_view(failed: FailedGuard, entry: GuardLines) -> FailedGuard:
    """The same with the tensor whose base an entry's guards look at, where one found no base.

    The guard raises, and torch says what it raised in place of the guard.
    """
    if failed.guard.shape is not GuardShape.VIEW:
        return failed
    texts = [text for _, text in entry.ambient]
    texts += [text for leaves in entry.leaves.values() for _, text in leaves]
    found = {match["tensor"]: None for text in texts for match in _BASE.finditer(text)}
    if len(found) != 1:
        return failed
    guard = dataclasses.replace(failed.guard, source=stripped_source(next(iter(found))))
    return dataclasses.replace(failed, guard=guard)


def changed_sizes(case: GuardCase) -> Iterator[int]:
    """The dimensions of the guard's tensor that torch saw change, the guard's own among them."""
    if case.kind is not RecompileClass.SIZE:
        return
    found = {case.failed.guard.index}
    for became in case.facts.became:
        is_new = became.before != _DYNAMIC_TOKEN
        if is_new and became.source == case.source and became.what.isdecimal():
            found.add(int(became.what))
    yield from sorted(index for index in found if index is not None)


def held_by(case: GuardCase) -> str:
    """The class of a container's first item, as far as one of the trees has it."""
    if case.kind not in {RecompileClass.LENGTH, RecompileClass.VARARGS}:
        return ""
    for lines in (case.before, case.now):
        match = _CLASS.fullmatch(lines.types.get(f"{case.name}[0]", ""))
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
    if match:
        return Limit(match["name"], int(match["n"]), raised)
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
