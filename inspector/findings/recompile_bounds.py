"""What became dynamic within bounds alone, in words: a condition parts the sizes."""

from __future__ import annotations

import re

from inspector.findings.recompile_case import FixCase
from inspector.findings.wording import listed
from inspector.model.recompile import Answer, Bound, Recompile
from inspector.model.stack import user_frame

_MOST = 2
_BRANCH = re.compile(r"\b(?:if|elif)\b")


def within(item: Recompile) -> str:
    """The bounds that it is dynamic within; an empty string where nothing is known of any."""
    return listed([f"`{bound.text}`" for bound in item.bounds], _MOST)


def beyond(item: Recompile) -> Bound | None:
    """The bound that what was compiled first is beyond, or None."""
    if item.answer is not Answer.DYNAMIC:
        return None
    return next((bound for bound in item.bounds if bound.parts), None)


def is_branch(case: FixCase, bound: Bound) -> bool:
    """Whether the program's own line is an ``if``, which could be written otherwise."""
    frame = user_frame(bound.stack, case.roots)
    is_own = frame is not None and frame == bound.stack[-1]
    return is_own and frame is not None and _BRANCH.search(frame.code) is not None


def parted(case: FixCase, bound: Bound, values: str, still: str) -> str:
    """That the two sides of a condition are two programs, and what is left to compile.

    Args:
        case: The recompilations.
        bound: The condition.
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
        f"The {values}{known} lie on two sides of `{bound.text}`{where}: each side is a program of "
        f"its own, compiled once, and then found, {still}. Nothing is needed for these; {first} "
        f"was compiled for itself, and further {values} on its side compile once more."
    )
