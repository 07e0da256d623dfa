"""What to say of a cache of keys and values that is empty at first and longer in every call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_case import FixCase, is_zero_one
from inspector.findings.wording import count
from inspector.model.recompile import Answer, Change, Recompile, RecompileClass

_EMPTY = frozenset(
    [RecompileClass.NONE, RecompileClass.LENGTH, RecompileClass.KEYS, RecompileClass.TYPE]
)
_APPENDS = re.compile(r"\b(?:cat|concat|concatenate|hstack|vstack)\(")
_OF_SELF = re.compile(r"L\['self'\]\.\w+$")
_STATIC = (
    "For one decode program, use a static cache: allocate it at its full length before the first "
    "call, write into it with `index_copy_` at a position that is a tensor, and mask the rest."
)


def growing_cache(case: FixCase) -> Iterator[str]:
    """That nothing is needed, where the cache is dynamic in the end; nothing of anything else.

    Then there are a program without it (prefill), one for the first call with it (decode), and one
    for all later calls. Where the function itself appends to a tensor of its own, sizes 0 and 1
    have a program each.
    """
    if own := _appended(case):
        yield own
        yield _STATIC
        return
    last = case.history[-1] if case.history else None
    changes = [change for item in case.history for change in _changes(item)]
    empty = {_container(change.source) for change in changes if _is_empty_first(change)}
    grown = [change for change in _changes(last) if _grows(change)]
    of_cache = [change for change in grown if _is_in(change.source, empty)]
    # The program asks one attribute of its own whether it is empty, and not the others.
    other = {
        _size(change)
        for change in grown
        if change not in of_cache and not _OF_SELF.match(change.source)
    }
    grown = of_cache
    # What grows together with another input is a batch.
    if last is None or last.answer is not Answer.DYNAMIC or not other.isdisjoint(map(_size, grown)):
        return
    if not grown:
        return
    is_about = any(_is_in(change.source, empty) for item in case.items for change in item.changes)
    if not is_about or len(case.items) > 1 or any(item.limit for item in case.history):
        return
    name = user_spelling(grown[0].name)
    programs = count(len(case.history) + 1, "program")
    yield (
        f"Nothing needs fixing: prefill (without {name}), the first decode step and later decode "
        f"steps are {programs}, each compiled once. The length of {name} is dynamic since then, "
        "so further steps compile nothing."
    )
    yield _STATIC


def _appended(case: FixCase) -> str:
    """What there is to know where a line of the function appends to what it keeps."""
    line, first = case.set_at, case.first
    if line is None or not is_zero_one(first) or not _APPENDS.search(line.code):
        return ""
    if any(item.limit for item in case.history):
        return ""
    name = user_spelling(first.name)
    grows = f"`{line.code.strip()}` ({case.place(line)}) makes {name} longer in every call."
    if case.history and case.history[-1].answer is Answer.DYNAMIC:
        programs = count(len(case.history) + 1, "program")
        return (
            f"Nothing needs fixing: {grows} That makes {programs}, each compiled once. The length "
            "is dynamic since then, so further calls compile nothing."
        )
    return (
        f"{grows} Sizes 0 and 1 get a program each, and longer ones share a dynamic one, so calls "
        "after that compile nothing."
    )


def _changes(item: Recompile | None) -> tuple[Change, ...]:
    return item.changes if item is not None else ()


def _container(source: str) -> str:
    """The pair of keys and values of which the program tests one: ``L['caches'][0]``."""
    before, found, _ = source.rpartition("[")
    return before if found and source.endswith("]") and "[" in before else source


def _is_empty_first(change: Change) -> bool:
    """Whether there was nothing in it: None, an empty container, a size of 0."""
    if change.kind is RecompileClass.SIZE:
        return change.before == "0"
    return change.kind in _EMPTY and change.before in {"None", "0", "no keys"}


def _grows(change: Change) -> bool:
    """Whether a size is larger than before, and dynamic."""
    sizes = change.before, change.now
    is_size = change.kind is RecompileClass.SIZE and all(map(str.isdecimal, sizes))
    return is_size and int(change.before) < int(change.now)


def _size(change: Change) -> tuple[int | None, str, str]:
    return change.index, change.before, change.now


def _is_in(source: str, containers: set[str]) -> bool:
    return any(source == each or source.startswith((f"{each}.", f"{each}[")) for each in containers)
