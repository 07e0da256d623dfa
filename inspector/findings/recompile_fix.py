"""What to write against a recompilation: the line, and where it goes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.findings.recompile_also import also_changed
from inspector.findings.recompile_case import ENVIRONMENT, NOTHING_NEEDED, FixCase, environment
from inspector.findings.recompile_fix_state import STATE
from inspector.findings.recompile_fix_tensors import TENSORS
from inspector.findings.recompile_fix_values import VALUES
from inspector.findings.recompile_wording import changed
from inspector.findings.recompile_wrapped import unwrapped
from inspector.model.recompile import Answer, Recompile, RecompileClass

__all__ = ["fixes"]

_NUMBERS = frozenset({RecompileClass.INT, RecompileClass.FLOAT})
_NAMED = frozenset({RecompileClass.SIZE, RecompileClass.INT})
_MOST_ALSO = 3
_ADVICE = {**TENSORS, **VALUES, **STATE}


def fixes(case: FixCase) -> tuple[str, ...]:
    """What can be done, the best first; nothing where nobody knows."""
    found = [text for text in _advised(case) if text]
    also = _always_also(case.items)
    if any(item.answer is Answer.EAGER for item in case.items):
        found = list(_without_graph(case, found))
    elif also and found and not case.kept_over:
        found = list(_all_of(case, found, also))
    return tuple(dict.fromkeys(found))


def _advised(case: FixCase) -> tuple[str, ...]:
    advise = _ADVICE.get(case.first.kind)
    return tuple(advise(case)) if advise else ()


def _without_graph(case: FixCase, found: Sequence[str]) -> Iterator[str]:
    # What becomes dynamic is what Dynamo could make no graph of.
    if case.first.kind not in _NUMBERS:
        yield from (text for text in found if "dynamic" not in text.lower())
    yield (
        f"Call an uncompiled {case.function} where there is nothing to compile, so that Dynamo "
        "never meets a call of which it can make no graph."
    )


def _always_also(items: Sequence[Recompile]) -> tuple[Recompile, ...]:
    """What changed beside it in each of the recompilations: to mend it alone helps in none."""
    every = [{(also.kind, also.name) for also in also_changed(item)} for item in items]
    common = set.intersection(*every)
    return tuple(also for also in also_changed(items[0]) if (also.kind, also.name) in common)


def _all_of(case: FixCase, found: Sequence[str], also: tuple[Recompile, ...]) -> Iterator[str]:
    """The advice for all that changes together; each alone leaves the others."""
    if {case.first.kind, *(item.kind for item in also)} <= _NAMED and environment(case):
        yield environment(case)  # one variable for sizes and ints
        found = [text for text in found if ENVIRONMENT not in text] or list(found)
    parts = [found[0]]
    for item in also[:_MOST_ALSO]:
        own = [text for text in _advised(dataclasses.replace(case, items=(item,))) if text]
        text = own[0].removeprefix(NOTHING_NEEDED) if own else "keep it as it is."
        shown = unwrapped(item) if case.site.parameters.is_wrapper else item
        parts.append(f"And as {changed(shown)} with it: {text[:1].lower()}{text[1:]}")
    yield " ".join(parts)
    # The alternatives leave what else changes, all but a higher limit.
    yield from (text for text in found[1:] if "recompile_limit" in text)
