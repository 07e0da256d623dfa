"""What to do about a recompilation: the first case of ``recompile_fixes.md`` that holds."""

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from inspector.features.recompiles import fix_containers as containers
from inspector.features.recompiles import fix_shared as shared
from inspector.features.recompiles import fix_tensors as tensors
from inspector.features.recompiles import fix_values as values
from inspector.features.recompiles.case import Facts, FixCase
from inspector.features.recompiles.changes import also_changed
from inspector.features.recompiles.fix_shared import ENVIRONMENT, beyond, break_across, environment
from inspector.features.recompiles.wording import changed
from inspector.report.user_code.call_site import user_spelling
from inspector.report.wording import listed
from inspector.run.recompile import Answer, Recompile, RecompileClass
from inspector.shared.roots import Owner

_C = RecompileClass
FACTS: Facts = {
    name: fact
    for module in (containers, shared, tensors, values)
    for name, fact in {**vars(module), **module.FACTS}.items()
    if callable(fact)
}
_NAME = re.compile(r"\{([\w-]+)\}")
_CONDITION = re.compile(r"(?:\[(?P<condition>[^\]]+)\] )?(?P<text>.+)")
_NOTHING_NEEDED = "No change is needed for further calls. "
_NUMBERS = frozenset({_C.INT, _C.FLOAT})
_NAMED = frozenset({_C.SIZE, _C.INT})
_MOST_TOGETHER = 4
_AS_IT_IS = "Keep it the same in every call."
_MOST_NAMED = 4
_MARKED = frozenset({_C.SIZE, _C.SYMBOLIC_SHAPE, _C.MARKS})
_OF_COMPILED = re.compile(r"dynamic|compiled once|program of its own|recompile_limit")
# What the caller passes; a condition on a size is the function's.
_PASSED = frozenset(
    [_C.SIZE, _C.STRIDE, _C.DTYPE, _C.DEVICE, _C.LAYOUT, _C.RANK, _C.TENSOR_KIND, _C.ALIASING,
     _C.VIEW, _C.MARKS]
)  # fmt: skip
_STATE = frozenset(
    [_C.HOOKS, _C.TRAINING, _C.GRAD_MODE, _C.AUTOCAST, _C.DEFAULT_DTYPE, _C.DEFAULT_DEVICE,
     _C.DETERMINISTIC, _C.NUM_THREADS, _C.FUNCTION_MODE, _C.GLOBAL_STATE, _C.BACKEND,
     _C.DEALLOCATED]
)  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class _Case:
    """A case of a section: when it holds, and its paragraphs, each with its own condition."""

    condition: str
    paragraphs: tuple[tuple[str, str], ...]


@functools.cache
def _sections() -> Mapping[str, Sequence[_Case]]:
    page = Path(__file__).with_name("recompile_fixes.md").read_text(encoding="utf-8")
    found: dict[str, list[_Case]] = {}
    for section in page.split("\n## ")[1:]:
        names, *cases = section.split("\n### ")
        for text in cases:
            condition, _, body = text.partition("\n")
            paragraphs = [" ".join(each.split()) for each in body.split("\n\n")]
            parts = map(_CONDITION.fullmatch, paragraphs)
            each = _Case(
                condition, tuple((p["condition"] or "else", p["text"]) for p in parts if p)
            )
            for name in names.strip().split(", "):
                found.setdefault(name, []).append(each)
    return found


def texts(section: str, case: FixCase) -> Iterator[str]:
    """The paragraphs of the first case of a section that holds."""
    for each in _sections().get(section, ()):
        if _holds(each.condition, case):
            for condition, text in each.paragraphs:
                if _holds(condition, case):
                    yield from _filled(text, case)
            return


def _holds(condition: str, case: FixCase) -> bool:
    return condition == "else" or all(
        bool(_fact(name.removeprefix("not "), case)) is not name.startswith("not ")
        for name in condition.split(" and ")
    )


def _filled(text: str, case: FixCase) -> Iterator[str]:
    whole = _NAME.fullmatch(text)
    if whole and whole[1] in _sections():
        yield from texts(whole[1], case)
    elif filled := _NAME.sub(lambda match: str(_fact(match[1], case)), text):
        yield filled


def _fact(name: str, case: FixCase) -> object:
    return getattr(case, name) if hasattr(case, name) else FACTS[name](case)


def fixes(case: FixCase) -> tuple[str, ...]:
    """What can be done, the best first; nothing where none is known."""
    if is_foreign(case) and not any(texts("any", case)):
        return tuple(dict.fromkeys(texts("foreign", case)))
    if cache := tuple(texts("growing", case)):
        return cache
    found = list(_advised(case))
    every = [{(also.kind, also.name) for also in also_changed(item)} for item in case.items]
    common = set.intersection(*every)
    # What changed beside it in each of the recompilations: fixing it alone helps in none.
    also = tuple(also for also in also_changed(case.items[0]) if (also.kind, also.name) in common)
    if any(item.answer is Answer.EAGER for item in case.items):
        found = list(_without_graph(case, found))
    elif also and found:
        found = list(_all_of(case, found, also))
    return tuple(dict.fromkeys(found))


def _advised(case: FixCase) -> tuple[str, ...]:
    return tuple(texts("any", case)) or tuple(texts(case.first.kind.value, case))


def _without_graph(case: FixCase, found: Sequence[str]) -> Iterator[str]:
    """Dynamo made no graph, and skips the function from then on, whatever is passed."""
    yield from texts("without-graph", case)
    # What becomes dynamic is what Dynamo could make no graph of; and nothing was compiled that
    # would be found again.
    if case.first.kind not in _NUMBERS:
        yield from (text for text in found if not _OF_COMPILED.search(text.lower()))
    yield from texts("uncompiled-call", case)


def _part(case: FixCase, items: Sequence[Recompile], own: str, *, is_first: bool) -> str:
    """The advice for one of several changes, once for all of its kind."""
    item, *others = items
    if item is not case.first:
        own = next(iter(_advised(dataclasses.replace(case, items=(item,)))), _AS_IT_IS)
    text = own.removeprefix(_NOTHING_NEEDED)
    names = [user_spelling(case.shown(other).name) for other in others]
    names = [name for name in names if name not in text]
    if names:
        text = f"{text.removesuffix('.')} (likewise for {listed(names, _MOST_NAMED)})."
    if is_first:
        return text
    if not text.startswith(case.called):
        text = text[:1].lower() + text[1:]
    return f"Because {changed(case.shown(item))} as well, {text}"


def _all_of(case: FixCase, found: Sequence[str], also: tuple[Recompile, ...]) -> Iterator[str]:
    """The advice for all that changes together; each alone leaves the others."""
    every = (case.first, *also)
    is_method = case.first.kind is _C.DEALLOCATED  # it has advice of its own
    kept = [item for item in every if case.is_kept(item.name) and not is_method]
    changing = [item for item in every if item not in kept]
    if kept:
        yield break_across(case, kept)
        return
    # A line can make one of the numbers a constant, dynamic or not at first.
    numbers = {item.name for item in changing if item.kind is _C.INT}
    is_constant = any(
        change.specialized is not None and change.name in numbers
        for item in case.items
        for change in item.changes
    )
    is_named = {item.kind for item in changing} <= _NAMED and not is_constant
    if is_named and not beyond(case) and environment(case):
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
        kind in _STATE
        or case.crossed_break is not None
        or (is_own and case.set_at is not None and case.separating_break is None)
    ):
        return False
    changes = [change for item in case.items for change in item.changes]
    is_passed = kind in _PASSED and not any(change.specialized for change in changes)
    return case.site.is_foreign or not (is_own or is_passed)
