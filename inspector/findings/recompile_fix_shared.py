"""Advice that several classes of recompilations share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from inspector.findings.around_calls import MANY, limit_of
from inspector.findings.recompile_case import FixCase, tensor_of
from inspector.findings.wording import listed
from inspector.model.recompile import Recompile, RecompileClass, SymbolUse
from inspector.model.stack import user_frame

_LOOP = re.compile(r"\bfor\b.+\bin\b")
_LOOP_AND_BODY = re.compile(r"\s*for\b[^:]+\bin\b[^:]*:\s*[^\s#]")  # it may be the body's line
_EQUALITY = re.compile(r"[=!]=")
# The base of a view; what a graph break keeps on the stack, which is no input that torch knows.
_NO_INPUT = re.compile(r"\._base\b|\b___stack\d")
ENVIRONMENT = "TORCH_COMPILE_DYNAMIC_SOURCES"
"""Torch's environment variable for what is dynamic from the first call on."""
_FLOAT = RecompileClass.FLOAT
_MOST_LIKEWISE = 6
_NAMED = frozenset({RecompileClass.SIZE, RecompileClass.INT})
_DYNAMIC = frozenset({*_NAMED, RecompileClass.RANK, RecompileClass.SYMBOLIC_SHAPE})


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
        items: The recompilations that it is for.
        history: All of the function, which tell what is a float.
    """
    every = (*items, *history)
    own = [tensor_of(item.source) for item in items if item.kind in _DYNAMIC and item.source]
    also = [
        tensor_of(change.source)
        for item in items
        for change in item.changes
        if change.kind in _NAMED and not change.is_zero_one and change.specialized is None
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
            f"The loop{where}{code} is unrolled, so that each size is a program of its own: write "
            f"it as operators over the whole of {case.name}, or pad {case.name} to one size."
        )
    if frame and _EQUALITY.search(frame.code):
        return (
            f"The line{where}{code} treats a size apart, so that {use.specialized} is a program of "
            "its own: it is compiled once, and then found; no mark helps. To have one program, "
            "write that line so that it does the same for every size."
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
