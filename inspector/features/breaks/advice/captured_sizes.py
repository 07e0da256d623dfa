"""Tensors that become Python numbers, or lists of them, for sizes: ``x.split(n.tolist())``."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.edits import statements_instead_of
from inspector.features.breaks.advice.number_checks import (
    CAPTURED,
    ITS_ERROR,
    Check,
    as_torch_checks,
    check_edits,
    written_checks,
)
from inspector.features.breaks.advice.numbers import is_number_of, tensors_in
from inspector.features.breaks.advice.size_uses import ListUses, SizeUses, Use
from inspector.features.breaks.advice.sizes import caution
from inspector.features.recompiles.around_calls import under
from inspector.report.user_code.code import Code, names_of, written

# Compares the sizes of what it is given (torch/nn/utils/rnn.py, 2.11 to 2.13; tried).
_compares = written("pad_sequence", "_.pad_sequence")
_makes_list = written("_.tolist()")


def _number(code: Code) -> ast.expr | None:
    """The expression that makes the number: ``x.sum().item()``, ``int(x.sum())``."""
    return code.find(lambda node: is_number_of(node, "int"))


def _uses(code: Code) -> tuple[frozenset[Use], tuple[Check, ...]]:
    """What is done with the number, and what checks it."""
    number = _number(code)
    if number is None or code.function is None:
        return frozenset(), ()
    tensors = tensors_in(code.function) | names_of(number)  # what the number is made of
    uses = SizeUses(code, tensors, code.parents())
    return frozenset(uses.uses(number)), tuple(uses.checks)


def _list_uses(code: Code) -> tuple[frozenset[Use], tuple[Check, ...]]:
    """What is done with the numbers of the list, and what checks them."""
    made = code.find(_makes_list)
    if made is None or code.function is None:
        return frozenset(), ()
    numbers = SizeUses(code, tensors_in(code.function) | code.parameters(), code.parents())
    return frozenset(ListUses(numbers).uses(made)), tuple(numbers.checks)


def _is_size(code: Code, *, checked: bool) -> bool:
    """Whether the number is a size, nothing needs to know it, and an error is raised by it."""
    found, checks = _uses(code)
    return Use.SIZE in found and Use.WRONG not in found and bool(checks) == checked


def _needs_values(code: Code) -> bool:
    """Whether something beside needs to know the sizes, so that no setting keeps them."""
    return any(map(_compares, code.walk())) or Use.WRONG in _list_uses(code)[0]


def _are_sizes(code: Code, *, checked: bool) -> bool:
    """The same of a list; one whose values are needed as well goes with those unchecked."""
    found, checks = _list_uses(code)
    return Use.SIZE in found and (bool(checks) and not _needs_values(code)) == checked


def _tailored(code: Code) -> str:
    said = caution(code, "make the number in the caller") if _number(code) is not None else ""
    return f"{_FIX.format('number stays', 'a size')} {said}" if said else ""


def _list_tailored(code: Code) -> str:
    if not _needs_values(code):
        said = caution(code, "make the list in the caller")
        return f"{_FIX.format('numbers stay', 'sizes')} {said}" if said else ""
    shown = code.shown(code.find(_makes_list))
    what = f"the list `{shown}`" if shown else "the list"
    return (
        f"Make {what} in the caller, and pass it: something else here needs its values (a branch, "
        "a range, a key, `pad_sequence`), so that they cannot stay in the graph."
    )


_FIX = f"{under(CAPTURED)}: the {{}} in the graph as {{}} that torch does not know beforehand."


def _symbol_tailored(code: Code) -> str:
    line = "; ".join(_symbol_checks(code))
    return f"Write `{line}` in place of the check. {ITS_ERROR}" if line else ""


def _symbol_checks(code: Code) -> tuple[str, ...]:
    check = code.statement
    return as_torch_checks(code, check) if isinstance(check, Check) else ()


LISTS = (
    case(
        "tolist-sizes", where=lambda code: _are_sizes(code, checked=False), tailored=_list_tailored
    ),
    case(
        "tolist-checked-sizes",
        where=lambda code: _are_sizes(code, checked=True),
        tailored=lambda code: written_checks(code, _list_uses(code)[1]),
        edits=lambda code: check_edits(code, _list_uses(code)[1]),
        settings=(("capture_scalar_outputs", True),),
    ),
    case("tolist-in-caller", where=lambda code: not _needs_values(code)),
)
NUMBERS = (
    case("item-size", where=lambda code: _is_size(code, checked=False), tailored=_tailored),
    case(
        "item-checked-size",
        where=lambda code: _is_size(code, checked=True),
        tailored=lambda code: written_checks(code, _uses(code)[1]),
        edits=lambda code: check_edits(code, _uses(code)[1]),
        settings=(("capture_scalar_outputs", True),),
    ),
    case(
        "symbol-checked",
        where=lambda code: bool(_symbol_checks(code)),
        tailored=_symbol_tailored,
        edits=lambda code: statements_instead_of(code, code.statement, _symbol_checks(code)),
    ),
)
