"""What to write where a tensor requires a gradient in one call and none in another."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.recompile_case import Advice, FixCase, with_method
from inspector.findings.recompile_marks import of_parameters
from inspector.findings.wording import listed
from inspector.model.recompile import RecompileClass

_MOST_NAMED = 6
_TRUE = frozenset({"1", "True"})
_EACH = "two programs are right, each compiled once: nothing is needed."


def _requires_grad(case: FixCase) -> Iterator[str]:
    if case.set_at is not None:
        place, code = case.place(case.set_at), case.set_at.code.strip()
        yield (
            f"{case.called} itself sets {case.name} at {place} (`{code}`), with what it was "
            "computed from: set it to the result's .detach() there, if no gradient is meant to go "
            "from one call into another."
        )
    elif of_parameters(case.first.source):
        yield (
            "Freeze and unfreeze parameters before the first call: with and without gradients for "
            f"{case.name} are two programs, each compiled once."
        )
    elif case.first.now is not None and case.first.now.text in _TRUE:
        yield from _came(case)
    else:
        yield f"Where {_gradients(case)} needed: call .requires_grad_() on {_passed(case)}."
        yield f"Where not: {_EACH}"


def _came(case: FixCase) -> Iterator[str]:
    """What required none in an earlier call does now: it may be needed, or come along by chance."""
    yield f"Where {_gradients(case)} needed: {_EACH}"
    yield (
        f"To have one program without losing a gradient: call .requires_grad_() on what the other "
        f"calls pass for {_shown(case)}; they then record a backward graph, too."
    )
    yield f"Where no gradient goes through {_shown(case)}: pass {_detached(case)} {case.at_call}."


def _names(case: FixCase) -> list[str]:
    """All that changed in this way: to mend one of several helps in nothing."""
    first = case.first.now.text in _TRUE if case.first.now else False
    changed = {
        change.name: None
        for item in case.items
        for change in item.changes
        if change.kind is RecompileClass.REQUIRES_GRAD and (change.now in _TRUE) is first
    }
    return [*dict.fromkeys((case.first.name, *changed))]


def _shown(case: FixCase) -> str:
    return listed([case.shown_name(name) for name in _names(case)], _MOST_NAMED)


def _detached(case: FixCase) -> str:
    """What is passed in their place: what is set would be set for everybody."""
    given = {name: case.site.passed(name) for name in _names(case)}
    whole = [
        with_method(each.text, each.path) if each.text else case.shown_name(name)
        for name, each in given.items()
    ]
    texts = [with_method(text, ".detach()") for text in dict.fromkeys(whole)]
    return listed(texts, _MOST_NAMED)


def _gradients(case: FixCase) -> str:
    many = len(_names(case)) > 1
    return f"{'one of their gradients' if many else 'its gradient'} is"


def _passed(case: FixCase) -> str:
    """What the caller passes for each of them, and where."""
    passed = [case.site.passed(name).written or case.shown_name(name) for name in _names(case)]
    return f"{listed(passed, _MOST_NAMED)} {case.before_call}"


GRADIENTS: Advice = {
    RecompileClass.REQUIRES_GRAD: _requires_grad,
}
