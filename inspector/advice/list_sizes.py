"""Tensors that become lists of Python numbers for sizes: ``x.split(lengths.tolist())``."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from inspector.advice.advice import case
from inspector.advice.code import Code
from inspector.advice.number_checks import (
    CAPTURED,
    check_edits,
    written_checks,
)
from inspector.advice.numbers import tensors_in
from inspector.advice.size_uses import SHAPING, SizeUses, Use
from inspector.advice.sizes import caution
from inspector.findings.around_calls import under
from inspector.model.edit import Edit

_SPLITTING = frozenset({"split", "split_with_sizes"})
_SIZES = frozenset({"size", "split_size_or_sections", "split_sizes"})
# What needs to know the numbers; how many there are is known.
_NEEDING = frozenset(
    {"Counter", "all", "any", "format", "frozenset", "print", "repr", "set", "sorted", "str"}
)


@dataclasses.dataclass(slots=True)
class ListUses:
    """Follows a list, and its numbers.

    Attributes:
        numbers: Follows its numbers.
    """

    numbers: SizeUses
    _followed: set[str] = dataclasses.field(default_factory=set)

    def uses(self, made: ast.expr) -> Iterator[Use]:
        """What is done with the numbers of a list, also under the names that it gets."""
        match parent := self.numbers.parents.get(made):
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield from self._named(name)
            case ast.Assign(targets=[target]):
                yield from self._set(target)
            case ast.Subscript(value=value) if value is made:
                is_list = isinstance(parent.slice, ast.Slice)
                yield from self.uses(parent) if is_list else self.numbers.uses(parent)
            case ast.For(target=target) | ast.comprehension(target=target):
                yield from self._set(target)
            case ast.Call(func=ast.Name(id="enumerate" | "zip" as name)):
                first = 1 if name == "enumerate" else parent.args.index(made)
                yield from self._item_of(parent, first)
            case ast.Call() | ast.Starred():
                yield self._argument(parent, made)
            case ast.keyword(arg=name):
                yield Use.SIZE if name in _SIZES else Use.OTHER
            case ast.Compare() | ast.FormattedValue():
                yield Use.WRONG
            case _:
                yield Use.OTHER

    def _named(self, name: str) -> Iterator[Use]:
        if name in self._followed or len(self.numbers.code.stores(name)) != 1:
            return
        self._followed.add(name)
        for load in self.numbers.code.loads(name):
            yield from self.uses(load)

    def _set(self, target: ast.expr) -> Iterator[Use]:
        """What is done with numbers of the list, by the names that they get."""
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        self.numbers.others.update(part.id for part in parts if isinstance(part, ast.Name))
        for part in parts:
            if isinstance(part, ast.Name):
                yield from self.numbers.named(part.id, stores=1)
            else:
                yield Use.OTHER

    def _item_of(self, pairs: ast.expr, index: int) -> Iterator[Use]:
        """The same of one of several names: ``for row, n in enumerate(sizes)``."""
        match self.numbers.parents.get(pairs):
            case (
                ast.For(target=ast.Tuple(elts=parts))
                | ast.comprehension(target=ast.Tuple(elts=parts))
            ) if index < len(parts):
                yield from self._set(parts[index])
            case _:
                yield Use.OTHER

    def _argument(self, parent: ast.Call | ast.Starred, made: ast.expr) -> Use:
        """What the list is to a function or a method that gets it, or all of its numbers."""
        is_star = isinstance(parent, ast.Starred)
        call = self.numbers.parents.get(parent) if is_star else parent
        match call:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                if name in _NEEDING:
                    return Use.WRONG
                is_method = isinstance(call.func, ast.Attribute)
                is_size = name in SHAPING or (name in _SPLITTING and not is_star)
                return Use.SIZE if is_method and is_size and call.func is not made else Use.OTHER
        return Use.OTHER


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
        said = caution(code, "make the list in the caller")
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
