"""The code of a choice between tensors: `torch.where` of what the user wrote."""

import ast
import copy
import dataclasses
from collections.abc import Mapping

from inspector.features.breaks.advice.conditions import condition_of, without_numbers
from inspector.features.breaks.advice.effects import unknown_calls
from inspector.features.breaks.advice.numbers import is_scalar
from inspector.report.user_code.code import Code, names_of

LONGEST = 150
"""More characters, and a line is no longer one that is read."""
_KEPT_NAMES = ("condition", "is_chosen")


@dataclasses.dataclass(slots=True)
class ChoiceMaker:
    """Makes the code of choices.

    Attributes:
        scalars: As `condition_of` takes them.
    """

    code: Code
    scalars: Mapping[str, str]
    calls: list[str] = dataclasses.field(default_factory=list)

    def condition(self, test: ast.expr) -> str:
        """The condition as a tensor of one bool; empty where that is not certain."""
        return condition_of(self.code, test, self.scalars)

    def new_name(self) -> str:
        """A name for a condition, which the function has none of; empty where it has them all."""
        taken = names_of(self.code.function) if self.code.function else frozenset()
        return next((name for name in _KEPT_NAMES if name not in taken), "")

    def where(self, condition: str, then: ast.expr, otherwise: ast.expr, target: str) -> str:
        """``torch.where(condition, then, otherwise)``; empty where that is no choice of tensors."""
        if ast.dump(then) == ast.dump(otherwise):
            return self.code.shown(then) if self.value(then, is_stored=True) else ""
        match then, otherwise:
            case ast.Tuple(elts=one), ast.Tuple(elts=two) if len(one) == len(two) and one:
                pairs = zip(one, two, strict=True)
                parts = [self.where(condition, a, b, target) for a, b in pairs]
                return ", ".join(parts) if all(parts) else ""
        if _is_part(then, otherwise) or _is_part(otherwise, then):
            return ""
        is_stored = target.endswith("] = ")
        sides = (
            self.value(then, is_stored=is_stored, safe=f"torch.where({condition}, {{}}, 1)"),
            self.value(otherwise, is_stored=is_stored, safe=f"torch.where({condition}, 1, {{}})"),
        )
        return f"torch.where({condition}, {', '.join(sides)})" if all(sides) else ""

    def value(self, value: ast.expr, *, is_stored: bool, safe: str = "") -> str:
        """A side as the user wrote it, if it certainly computes a tensor, and does no more.

        Args:
            is_stored: Whether it is stored into a tensor, which may be a number, too.
            safe: What to divide by instead of ``{}``, which may be 0 on the other side.
        """
        match value:
            case ast.Constant(value=int() | float()) if is_stored:
                return self.code.shown(value)
            case ast.Constant():
                return ""
        bare = without_numbers(value)
        if bare is None or _is_number(self.code, value):
            return ""
        if any(isinstance(node, ast.IfExp) for node in ast.walk(value)):
            return ""
        shown = self.code.shown(bare) if self._note(bare) else ""
        if shown and safe:
            guarded = _Guarded(safe).visit(copy.deepcopy(bare))
            if ast.dump(guarded) != ast.dump(bare):
                shown = ast.unparse(guarded)
        # A number has no gradient.
        return f"{shown}.detach()" if shown and bare is not value else shown

    def _note(self, value: ast.expr) -> bool:
        """Whether a value is that of tensors; takes note of what has to be said of it."""
        calls = unknown_calls(value)
        if calls is None:
            return False
        shown = [self.code.shown(call) for call in calls]
        if not all(shown):
            return False
        self.calls += [call for call in shown if call not in self.calls]
        return True


def _is_number(code: Code, value: ast.expr) -> bool:
    """Whether a value is made of numbers of Python alone: ``rate * 0.5`` after ``rate = 0.1``."""
    match value:
        case ast.Constant():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_number(code, left) and _is_number(code, right)
        case ast.Name(id=name):
            first = [each.value for each in code.setters(name) if isinstance(each, ast.Assign)]
            return bool(first) and isinstance(first[0], ast.Constant)
    return False


class _Guarded(ast.NodeTransformer):
    """Divides by ``safe.format(x)`` for each division by ``x``."""

    def __init__(self, safe: str) -> None:
        self._safe = safe

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant):
            safe = self._safe.format(ast.unparse(node.right))
            node.right = ast.parse(safe, mode="eval").body
        return node


def tensor_names(code: Code, test: ast.AST) -> dict[str, str]:
    """The names in a condition that are set once, to a tensor without dimensions."""
    parents = code.parents()
    names = names_of(test) - code.parameters()
    found = {name: code.setters(name) for name in names}
    return {
        name: f"{name}.bool()"
        for name, stores in found.items()
        if len(stores) == 1 and is_scalar(_given(name, stores[0], parents))
    }


def _given(name: str, stored: ast.AST | None, parents: Mapping[ast.AST, ast.AST]) -> ast.expr:
    """What an assignment gives a name, also one of several names."""
    match stored, parents.get(stored) if stored else None:
        case ast.Assign(targets=[_], value=value), _:
            return value
        case ast.Tuple(elts=names), ast.Assign(targets=[_], value=ast.Tuple(elts=values)):
            places = [n for n, each in enumerate(names) if ast.unparse(each) == name]
            if len(names) == len(values):
                return values[places[0]]
    return ast.Constant(None)


def _is_part(value: ast.expr, other: ast.expr) -> bool:
    """Whether one is a part of the other by its index, and so has another shape."""
    return isinstance(value, ast.Subscript) and ast.dump(value.value) == ast.dump(other)
