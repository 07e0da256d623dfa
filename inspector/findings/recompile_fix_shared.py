"""Advice that several classes share: dynamic sources, limits, bounds, failures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from inspector.findings.around_calls import MANY, around_calls, limit_of
from inspector.findings.failed_frames import error_text
from inspector.findings.recompile_case import FixCase, tensor_of
from inspector.findings.wording import listed
from inspector.model.compilation import Compilation, Frame
from inspector.model.graph_break import Outcome
from inspector.model.recompile import Answer, Bound, Recompile, RecompileClass, SymbolUse
from inspector.model.roots import Roots
from inspector.model.stack import StackFrame, user_frame

_LOOP = re.compile(r"\bfor\b.+\bin\b")
_LOOP_AND_BODY = re.compile(r"\s*for\b[^:]+\bin\b[^:]*:\s*[^\s#]")  # it may be the body's line
_EQUALITY = re.compile(r"[=!]=")
# The base of a view; what a graph break keeps on the stack, which is no input that torch knows.
_NO_INPUT = re.compile(r"\._base\b|\b___stack\d")
ENVIRONMENT = "TORCH_COMPILE_DYNAMIC_SOURCES"
"""Torch's environment variable for what is dynamic from the first call on."""
_FLOAT = RecompileClass.FLOAT
_MOST_LIKEWISE = 6
_SIZE_OR_INT = frozenset({RecompileClass.SIZE, RecompileClass.INT})
_DYNAMIC = frozenset({*_SIZE_OR_INT, RecompileClass.RANK, RecompileClass.SYMBOLIC_SHAPE})
# torch/_dynamo/config.py, 2.7 to 2.13: versions of one function; `accumulated_recompile_limit` is
# for it in all of its objects. Before, they were `cache_size_limit` and `accumulated_…`.
_LIMIT = "recompile_limit"
_DEFAULT_LIMIT = 8
_DEFAULT_ACCUMULATED = 256
_FEW = 64
_NEAR = 2
_OFTEN = 3
_COUNTED = frozenset({RecompileClass.INT, RecompileClass.LENGTH})
_NUMBER_OF_KEYS = re.compile(r"\d+ keys?")
_MOST_BOUNDS = 2


def dynamic_sources(
    items: Sequence[Recompile], history: Sequence[Recompile] = ()
) -> tuple[str, ...]:
    """The value for ``TORCH_COMPILE_DYNAMIC_SOURCES``: torch's own where it gave one.

    Torch lists all sources of a function that changed; of those, what failed here comes first. The
    base of a view is left out: it is no input, and a size of it that is dynamic is one more guard,
    which fails where the input is no view. So is what a graph break keeps on the stack. So are
    floats: torch takes no notice of them there (`wrap_symfloat` in
    torch/_dynamo/variables/builder.py, 2.13; tried).

    Args:
        history: All of the function, which tell what is a float.
    """
    every = (*items, *history)
    own = [tensor_of(item.source) for item in items if item.kind in _DYNAMIC and item.source]
    also = [
        tensor_of(change.source)
        for item in items
        for change in item.changes
        if change.kind in _SIZE_OR_INT and not change.is_zero_one and change.specialized is None
    ]
    given = [source for item in items for source in item.whitelist]
    floats = {change.source for item in every for change in item.changes if change.kind is _FLOAT}
    floats |= {item.source for item in every if item.kind is _FLOAT}
    found = dict.fromkeys((*own, *also, *given))
    return tuple(
        source for source in found if source not in floats and not _NO_INPUT.search(source)
    )


def environment(case: FixCase) -> str:
    """The environment variable that makes it dynamic, as a sentence; empty for floats alone."""
    sources = ",".join(dynamic_sources(case.items, case.history))
    if not sources:
        return ""
    return f'Without a change of the source: {ENVIRONMENT}="{sources}" in the environment.'


def specialized_fix(case: FixCase, use: SymbolUse) -> str:
    """What to do about a line that makes a size a constant."""
    frame = user_frame(use.guarded, case.roots)
    where = f" at {case.place(frame)}" if frame else ""
    code = f" (`{frame.code.strip()}`)" if frame and frame.code else ""
    if case.first.kind in {RecompileClass.INT, RecompileClass.FLOAT}:
        return (
            f"{case.name} is made the constant {_number(use.specialized)}{where}{code}, which "
            "needs its value, so that each value is a program of its own: choose among functions "
            f"that are compiled for one value each {case.before_call}; or, where the values are "
            f"few, {limit_of(MANY)}."
        )
    if frame and use.is_inside:
        return (
            f"The fake implementation of the operator makes the size the constant "
            f"{use.specialized}{where}{code}: other sizes are compiled again. Use sizes of the "
            "shape as they are: `int()`, `range()` and comparisons make them constants."
        )
    if frame and _LOOP.search(frame.code) and not _LOOP_AND_BODY.match(frame.code):
        return (
            f"The loop{where}{code} is unrolled, so that each size is compiled once: write "
            f"it as operators over the whole of {case.name}, or pad {case.name} to one size."
        )
    if frame and _EQUALITY.search(frame.code):
        return (
            f"The line{where}{code} treats a size apart: {use.specialized} is compiled once, and "
            "no mark helps. To have one program, write that line so that it does the same for "
            "every size."
        )
    if frame and re.search(rf"\b{re.escape(use.specialized or '')}\b", frame.code):
        return (
            f"The size is made the constant {use.specialized}{where}{code}: no mark helps until "
            f"that line works for any size. Take it from {case.name}.shape there, in place of "
            f"{use.specialized}."
        )
    return (
        f"The size is made the constant {use.specialized}{where}{code}, and each size is compiled "
        "once. A mark of it alone does not help: what it meets in that line has to be marked, too "
        "(another input of that size), or the line has to work for any size. Where it has to match "
        "a weight, that is so by its nature."
    )


def _number(text: str | None) -> str:
    """A number as Python writes it, where torch's has all digits that a float could have."""
    try:
        return repr(float(text or "")) if "." in (text or "") else str(text)
    except ValueError:
        return str(text)


def kept_fix(case: FixCase) -> Iterator[str]:
    """What to do about a value that a graph break hands on."""
    yield kept_together(case, (case.first,))
    if case.first.kind in _DYNAMIC and not case.is_on_stack:
        yield environment(case)


def _sized(item: Recompile) -> Iterator[str]:
    """The tensors whose sizes changed with it, which are told as one change."""
    if item.kind is RecompileClass.SIZE:
        yield from (change.name for change in item.changes if change.kind is item.kind)


def kept_together(case: FixCase, items: Sequence[Recompile]) -> str:
    """What to do about several values that one graph break hands on."""
    where = case.place(case.behind) if case.behind else "the line before"
    every = [name for item in items for name in (item.name, *_sized(item)) if case.is_kept(name)]
    names = tuple(dict.fromkeys(map(case.kept_name, every)))
    one = len(names) == 1
    kept = (
        f"{names[0]} is kept over it as an input"
        if one
        else (f"{listed(names, _MOST_LIKEWISE)} are kept over it as inputs")
    )
    return (
        f"Remove the graph break at {where}: {kept} of what is compiled behind it, and would be "
        "none of one graph."
    )


def is_near_limit(case: FixCase) -> bool:
    """Whether torch compiles hardly any more of the function."""
    hit = any(item.limit is not None for item in case.history)
    together = case.multiplied is not None and case.multiplied.exceeds_limit
    return hit or together or len(case.history) + 1 >= _DEFAULT_LIMIT - _NEAR


def _is_counted(case: FixCase) -> bool:
    """Whether something else is new in each compilation, as a count of calls is: no limit helps."""
    found: dict[str, list[str]] = {}
    for change in (change for item in case.items for change in item.changes):
        if change.kind in _COUNTED or _NUMBER_OF_KEYS.fullmatch(change.now):
            found.setdefault(change.name, []).append(change.now)
    return any(len({*texts}) == len(texts) >= _OFTEN for texts in found.values())


def raised_limit(case: FixCase, of_what: str = "values") -> Iterator[str]:
    """A higher limit, the one that is in the way, where it is not too many programs."""
    together = case.multiplied.combinations if case.multiplied else 0
    values = max(len(case.items) + 1, together)
    if values > _FEW or _is_counted(case):
        return
    hit = next((item.limit for item in case.history if item.limit is not None), None)
    name = hit.name if hit else _LIMIT
    needed = max(2 * (hit.number if hit else _DEFAULT_LIMIT), 2 * values)
    how = limit_of(needed)
    if name != _LIMIT:
        default = _DEFAULT_ACCUMULATED if name.startswith("accumulated_") else _DEFAULT_LIMIT
        how = f"{around_calls(f'{name}={needed}')} ({default} by default)"
    yield f"Where the {of_what} are few: {how}, so that each is compiled once."


def within(item: Recompile) -> str:
    """The bounds that it is dynamic within; an empty string where nothing is known of any."""
    return listed([f"`{bound.text}`" for bound in item.bounds], _MOST_BOUNDS)


def beyond(item: Recompile) -> Bound | None:
    """The bound that what was compiled first is beyond, or None."""
    if item.answer is not Answer.DYNAMIC:
        return None
    return next((bound for bound in item.bounds if bound.parts), None)


def parted(case: FixCase, bound: Bound, values: str, still: str) -> str:
    """That the two sides of a condition are two programs, and what is left to compile.

    Args:
        values: What lies on its sides: ``sizes``.
        still: What makes no difference to that, as the end of a sentence.
    """
    item = case.first
    frame = user_frame(bound.stack, case.roots)
    code = f": `{frame.code.strip()}`" if frame and frame.code else ""
    where = f" ({case.place(frame)}{code})" if frame else ""
    known = f" {item.before.text} and {item.now.text}" if item.before and item.now else ""
    first = item.before.text if item.before else "the first one"
    return (
        f"The {values}{known} lie on two sides of `{bound.text}`{where}: each side is compiled "
        f"once, {still}. Nothing is needed for these; {first} "
        f"was compiled for itself, and further {values} on its side compile once more."
    )


def all_failed(items: Sequence[Recompile]) -> bool:
    """Whether nothing was kept of any of them."""
    return all(item.answer is Answer.FAILED for item in items)


def mend_failure(frame: Frame, items: Sequence[Recompile], roots: Roots) -> tuple[str, ...]:
    """What to do about compilations that fail; nothing about others."""
    if not all_failed(items):
        return ()
    ids = {item.compile_id for item in items}
    failed = [each for each in frame.compilations if each.compile_id in ids]
    found = dict.fromkeys(text for each in failed for text in _fails_at(each, roots))
    what = " and ".join([*found][:2]) or "what makes it fail"
    mend = (
        f"Mend {what}: nothing is kept of a compilation that fails, so that every call like this "
        "one compiles again and fails again."
    )
    return (mend, _ONE_GRAPH) if any(map(_is_for_fullgraph, failed)) else (mend,)


_ONE_GRAPH = "Without fullgraph=True it is no error: the graph ends there, or all runs eagerly."


def _is_for_fullgraph(item: Compilation) -> bool:
    return any(record.outcome is Outcome.RAISED for record in item.graph_breaks)


def _fails_at(item: Compilation, roots: Roots) -> tuple[str, ...]:
    """``the graph break at model.py:5 (Failed to trace builtin operator)``; empty where unknown."""
    record = next((r for r in item.graph_breaks if r.outcome is Outcome.RAISED), None)
    if record is not None:
        return (f"the graph break{_at(record.user, roots)} ({record.cause.title})",)
    if item.failure is None:
        return ()
    place = user_frame(item.failure.stack, roots)
    return (f"the compile error{_at(place, roots)} ({error_text(item.failure)})",)


def _at(frame: StackFrame | None, roots: Roots) -> str:
    return f" at {roots.shown(frame.file)}:{frame.line}" if frame is not None else ""
