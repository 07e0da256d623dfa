"""Tensors that become lists of Python numbers for sizes: ``x.split(lengths.tolist())``."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code
from inspector.advice.list_uses import ListUses
from inspector.advice.number_checks import (
    CAPTURED,
    check_edits,
    written_checks,
)
from inspector.advice.numbers import tensors_in
from inspector.advice.one_function import under
from inspector.advice.size_of_one import caution
from inspector.advice.size_uses import SizeUses, Use
from inspector.advice.sized import Sized
from inspector.model.edit import Edit

# Compares the sizes of what it is given (torch/nn/utils/rnn.py, 2.11 to 2.13; tried).
_COMPARING = "pad_sequence"


def _list(code: Code) -> ast.expr | None:
    """The expression that makes the list."""
    return code.find(_makes_list)


def _makes_list(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="tolist"), args=[], keywords=[]):
            return True
    return False


def _uses(code: Code) -> tuple[frozenset[Use], tuple[ast.If | ast.Assert, ...]]:
    """What is done with the numbers of the list, and what checks them."""
    made = _list(code)
    if made is None or code.function is None:
        return frozenset(), ()
    tensors = tensors_in(code.function) | code.parameters()
    numbers = SizeUses(code, tensors, code.parents())
    return frozenset(ListUses(numbers).uses(made)), tuple(numbers.checks)


def _are_sizes(code: Code) -> bool:
    found, checks = _uses(code)
    return Use.SIZE in found and (not checks or _needs_values(code))


def _are_checked_sizes(code: Code) -> bool:
    """Whether they are, and an error is raised where one is not as it has to be."""
    found, checks = _uses(code)
    return Use.SIZE in found and bool(checks) and not _needs_values(code)


def _checked(code: Code) -> str:
    return written_checks(code, _uses(code)[1])


def _checked_edits(code: Code) -> tuple[Edit, ...]:
    return check_edits(code, _uses(code)[1])


def _needs_values(code: Code) -> bool:
    """Whether something beside needs to know the sizes, so that no setting keeps them."""
    nodes = ast.walk(code.function) if code.function is not None else ()
    compares = any(
        isinstance(node, ast.Name | ast.Attribute)
        and _COMPARING in {getattr(node, "id", ""), getattr(node, "attr", "")}
        for node in nodes
    )
    return compares or Use.WRONG in _uses(code)[0]


def _tailored(code: Code) -> str:
    if not _needs_values(code):
        said = caution(Sized(code, number=_list(code)), instead="make the list in the caller")
        return f"{_FIX} {said}" if said else ""
    shown = code.shown(_list(code))
    what = f"the list `{shown}`" if shown else "the list"
    return (
        f"Make {what} in the caller, and pass it: something else here needs its values (a branch, "
        "a range, a key, `pad_sequence`), so that they cannot stay in the graph."
    )


_FIX = (
    f"{under(CAPTURED)}: the numbers stay in the graph as sizes that torch does not know "
    "beforehand."
)


ADVICE = (
    case("tolist-sizes", where=_are_sizes, tailored=_tailored),
    case(
        "tolist-checked-sizes",
        where=_are_checked_sizes,
        tailored=_checked,
        edits=_checked_edits,
        settings=(("capture_scalar_outputs", True),),
    ),
    case("tolist-in-caller", where=lambda code: not _needs_values(code)),
)
