"""Facts about a Python value, an object, or state that changes, for ``recompile_fixes.md``."""

from __future__ import annotations

import dataclasses
import re

from inspector.features.recompiles import case as recompile_case
from inspector.features.recompiles.case import Facts, FixCase
from inspector.report.wording import listed
from inspector.run.recompile import Answer, Recompile, RecompileClass

_C = RecompileClass
_MODULE = re.compile(r"_modules\['[^']*'\]$")
_OPTIMIZERS = re.compile(r"[/\\]torch[/\\]optim[/\\]")
_STATE = re.compile(r"^self\.state\b")
_RATE = re.compile(r"^self\.param_groups\[\d+\]\[(['\"])lr\1\]$")
_FILLED = frozenset({_C.LENGTH, _C.KEYS})
_TORCHS = re.compile(r"__import_(torch(?:_dot_\w+?)*)(?=\.|\Z)")
_KINDS = {_C.STR: "a string", _C.ENUM: "an enum member", _C.CONSTANT: "a Python constant"}


def torchs_own(case: FixCase) -> str:
    """What a module of torch keeps for itself: nobody passes it, or makes it a tensor."""
    match = _TORCHS.match(case.name)
    return match[1].replace("_dot_", ".") + case.name[match.end() :] if match else ""


def is_optimizer_state(case: FixCase) -> bool:
    """Whether it is the state that an optimiser's first step makes.

    A step that finds it is compiled once: tried with SGD, Adam, AdamW, RMSprop and Adagrad on torch
    2.11 and 2.13.
    """
    return case.first.kind in _FILLED and _STATE.match(case.first.name) is not None


def without_state(item: Recompile, file: str) -> Recompile:
    """A recompilation without what Dynamo says of an optimiser's state beside another reason.

    It holds the states of those parameters alone that have a gradient (torch 2.13), so that their
    number differs where nothing was added or taken away.
    """
    if _OPTIMIZERS.search(file) is None:
        return item
    return dataclasses.replace(
        item,
        changes=tuple(
            change
            for change in item.changes
            if not (change.kind in _FILLED and _STATE.match(change.name))
            or (change.kind, change.name) == (item.kind, item.name)
        ),
    )


def is_no_tensor(case: FixCase) -> bool:
    """Whether no tensor can stand in its place: a gradient of zeros moves a momentum still."""
    others = [text for text in (case.before, case.now) if text and "None" not in text]
    return case.name.endswith(".grad") or not all("tensor" in text.lower() for text in others)


def types(case: FixCase) -> str:
    """`` (int and float)``."""
    known = [value.text for value in (case.first.before, case.first.now) if value]
    return f" ({' and '.join(known)})" if known else ""


FACTS: Facts = {
    # One that is a tensor is no constant.
    "is_learning_rate": lambda case: (
        case.first.kind is _C.FLOAT and _RATE.match(case.first.name) is not None
    ),
    "torchs_own_then": lambda case: (
        ""
        if any(each.answer is Answer.EAGER or each.limit for each in case.items)
        else ", and nothing is needed"
    ),
    "of_optimizer": lambda case: _OPTIMIZERS.search(case.file) is not None,
    "kind_name": lambda case: _KINDS[case.first.kind],
    "passed_or_false": lambda case: case.argument.written or "False",
    "takes_keywords": lambda case: bool(case.site.parameters.keywords),
    "is_self": lambda case: case.first.name == "self",
    "is_module": lambda case: _MODULE.search(case.first.name) is not None,
    "is_bool_and_tensor": lambda case: recompile_case.is_bool_and_tensor(case.first),
    "other_function": lambda case: case.name.removesuffix(".__code__"),
    "state_parts": lambda case: listed(case.first.name.split(), 3) or "the global state",
    "kept_at": lambda case: f" at {case.place(case.kept_over)}" if case.kept_over else "",
}
