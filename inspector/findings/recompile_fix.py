"""What to write against a recompilation: the line, and where it goes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_case import EMPTY_GRAPHS, NOTHING_NEEDED, FixCase
from inspector.findings.recompile_changes import also_changed
from inspector.findings.recompile_fix_containers import growing_cache
from inspector.findings.recompile_fix_gradients import GRADIENTS
from inspector.findings.recompile_fix_shared import (
    ENVIRONMENT,
    beyond,
    dynamic_sources,
    environment,
    is_near_limit,
    kept_together,
    raised_limit,
)
from inspector.findings.recompile_fix_state import STATE, optimizer_advice
from inspector.findings.recompile_fix_tensors import TENSORS
from inspector.findings.recompile_fix_values import VALUES
from inspector.findings.recompile_wording import changed
from inspector.findings.wording import listed
from inspector.model.recompile import Answer, Recompile, RecompileClass
from inspector.model.roots import Owner

_NUMBERS = frozenset({RecompileClass.INT, RecompileClass.FLOAT})
_NAMED = frozenset({RecompileClass.SIZE, RecompileClass.INT})
_MOST_TOGETHER = 4
_AS_IT_IS = "Keep it as it is."
_MOST_NAMED = 4
_MARKED = frozenset({RecompileClass.SIZE, RecompileClass.SYMBOLIC_SHAPE, RecompileClass.MARKS})
_OF_COMPILED = re.compile(r"dynamic|compiled once|program of its own|recompile_limit")
_TORCHS = re.compile(r"__import_(torch(?:_dot_\w+?)*)(?=\.|\Z)")
_ADVICE = {**TENSORS, **GRADIENTS, **VALUES, **STATE}
_SIZES = frozenset({RecompileClass.SIZE, RecompileClass.SYMBOLIC_SHAPE})
_DYNAMIC = _SIZES | {RecompileClass.INT}
# What the caller passes; a condition on a size is the function's.
_PASSED = frozenset(TENSORS) - {RecompileClass.SYMBOLIC_SHAPE}
_ALL_SIZES = "Compile with torch.compile(…, dynamic=True): every size of every input is dynamic."
_FEW_SOURCES = 8


def fixes(case: FixCase) -> tuple[str, ...]:
    """What can be done, the best first; nothing where nobody knows."""
    if is_foreign(case):
        return tuple(dict.fromkeys(text for text in foreign_fixes(case) if text))
    if cache := tuple(growing_cache(case)):
        return cache
    found = [text for text in _advised(case) if text]
    also = _always_also(case.items)
    if any(item.answer is Answer.EAGER for item in case.items):
        found = list(_without_graph(case, found))
    elif also and found:
        found = list(_all_of(case, found, also))
    return tuple(dict.fromkeys(found))


def _advised(case: FixCase) -> tuple[str, ...]:
    special = optimizer_advice(case) or _of_torchs_own(case)
    if special:
        return (special,)
    advise = _ADVICE.get(case.first.kind)
    return tuple(advise(case)) if advise else ()


def _of_torchs_own(case: FixCase) -> str:
    """What a module of torch keeps for itself: nobody passes it, or makes it a tensor."""
    match = _TORCHS.match(case.name)
    if match is None:
        return ""
    name = match[1].replace("_dot_", ".") + case.name[match.end() :]
    is_found = not any(item.answer is Answer.EAGER or item.limit for item in case.items)
    then = ", compiled once, and then found, and nothing is needed" if is_found else ""
    return (
        f"{name} is torch's own state: each value is a program of its own{then}. To have one: make "
        "every call under what sets it, or none."
    )


def _without_graph(case: FixCase, found: Sequence[str]) -> Iterator[str]:
    """Dynamo made no graph, and skips the function since then, whatever is passed."""
    if case.skipped_by is not None and case.skipped_by.user is not None:
        at, title = case.place(case.skipped_by.user), case.skipped_by.cause.title
        yield (
            f"Mend the graph break at {at} ({title}): because of it Dynamo makes no graph of "
            f"{case.called}, and all of it runs eagerly since then."
        )
    if not any(item.failure for item in case.items):
        yield (
            f"Make {EMPTY_GRAPHS}: what has no operator is then "
            "compiled like the rest, and nothing is skipped."
        )
    # What becomes dynamic is what Dynamo could make no graph of; and nothing was compiled that
    # would be found again.
    if case.first.kind not in _NUMBERS:
        yield from (text for text in found if not _OF_COMPILED.search(text.lower()))
    yield (
        f"Call an uncompiled {case.called} where there is nothing to compile, so that Dynamo "
        "never meets a call of which it can make no graph."
    )


def _always_also(items: Sequence[Recompile]) -> tuple[Recompile, ...]:
    """What changed beside it in each of the recompilations: to mend it alone helps in none."""
    every = [{(also.kind, also.name) for also in also_changed(item)} for item in items]
    common = set.intersection(*every)
    return tuple(also for also in also_changed(items[0]) if (also.kind, also.name) in common)


def _part(case: FixCase, items: Sequence[Recompile], own: str, *, is_first: bool) -> str:
    """The advice for one of several changes, told once for all of its kind."""
    item, *others = items
    if item is case.first:
        text = own.removeprefix(NOTHING_NEEDED)
    else:
        advice = [text for text in _advised(dataclasses.replace(case, items=(item,))) if text]
        text = advice[0].removeprefix(NOTHING_NEEDED) if advice else _AS_IT_IS
    names = [user_spelling(case.shown(other).name) for other in others]
    names = [name for name in names if name not in text]
    if names:
        text = f"{text.removesuffix('.')} (likewise for {listed(names, _MOST_NAMED)})."
    if is_first:
        return text
    if not text.startswith(case.called):
        text = text[:1].lower() + text[1:]
    return f"And as {changed(case.shown(item))} with it: {text}"


def _is_constant(case: FixCase, changing: Sequence[Recompile]) -> bool:
    """Whether a line makes one of the numbers a constant, dynamic or not at first."""
    names = {item.name for item in changing if item.kind is RecompileClass.INT}
    changes = [change for item in case.items for change in item.changes]
    return any(change.specialized is not None and change.name in names for change in changes)


def _all_of(case: FixCase, found: Sequence[str], also: tuple[Recompile, ...]) -> Iterator[str]:
    """The advice for all that changes together; each alone leaves the others."""
    every = (case.first, *also)
    is_method = case.first.kind is RecompileClass.DEALLOCATED  # it has advice of its own
    kept = [item for item in every if case.is_kept(item.name) and not is_method]
    changing = [item for item in every if item not in kept]
    if kept:
        yield kept_together(case, kept)
        return
    is_named = {item.kind for item in changing} <= _NAMED and not _is_constant(case, changing)
    if is_named and beyond(case.first) is None and environment(case):
        yield environment(case)  # one variable for sizes and ints
        found = [text for text in found if ENVIRONMENT not in text] or list(found)
    groups: dict[RecompileClass, list[Recompile]] = {}
    for item in changing:
        groups.setdefault(item.kind, []).append(item)
    # A mark is on one tensor: what makes another tensor of it comes first.
    ordered = sorted(
        list(groups.values())[:_MOST_TOGETHER], key=lambda each: each[0].kind in _MARKED
    )
    parts = [_part(case, each, found[0], is_first=each is ordered[0]) for each in ordered]
    yield " ".join(parts)
    # The alternatives leave what else changes, all but a higher limit.
    yield from (text for text in found[1:] if "recompile_limit" in text)


def is_foreign(case: FixCase) -> bool:
    """Whether the usual advice would change a line of a library, of torch or of generated code."""
    kind = case.first.kind
    is_own = not case.file or case.roots.owner(case.file) in {Owner.PROJECT, Owner.GENERATED}
    if (
        kind in STATE
        or case.kept_over is not None
        or (is_own and case.set_at is not None and case.apart_by is None)
    ):
        return False
    changes = [change for item in case.items for change in item.changes]
    is_passed = kind in _PASSED and not any(change.specialized for change in changes)
    return case.site.is_foreign or not (is_own or is_passed)


def foreign_fixes(case: FixCase) -> Iterator[str]:
    """Settings, which need no change of the line; the best first."""
    if case.apart_by is not None:
        yield (
            f"Fix the graph break at {case.place(case.apart_by)}: because of it {case.called} is "
            "compiled on its own."
        )
        return
    every = dataclasses.replace(case, items=case.history or case.items)
    sources = dynamic_sources(every.items, case.history)
    if case.first.kind in _DYNAMIC and sources:
        ways = [environment(every), _ALL_SIZES]
        yield from ways if len(sources) <= _FEW_SOURCES else reversed(ways)
    else:
        yield "Each value is compiled once: nothing is needed where the values are few."
    if is_near_limit(case):
        yield from raised_limit(case)
