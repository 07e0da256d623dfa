"""Follows numbers that were in a tensor, and lists of them: whether they are sizes, and checked."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Sequence
from typing import TypeAlias

from inspector.features.breaks.advice.caught import is_caught, raised
from inspector.features.breaks.advice.edits import Fix, statements_instead_of
from inspector.features.breaks.advice.numbers import is_number_of, tensors_in
from inspector.features.recompiles.around_calls import under
from inspector.report.user_code.code import Code, called, dotted_name, names_of, written

Check: TypeAlias = ast.If | ast.Assert

# Functions and methods whose arguments are sizes (tried on torch 2.11 and 2.13, with Inductor).
_MAKING = frozenset(
    {"arange", "empty", "eye", "full", "ones", "rand", "randn", "randperm", "zeros"}
)
_METHODS = frozenset(
    {"expand", "narrow", "new_empty", "new_full", "new_ones", "new_zeros", "repeat", "reshape",
     "tile", "unflatten", "view"}
)  # fmt: skip
_SIZE_WORDS = frozenset({"size", "split_size_or_sections", "split_sizes"})
# What needs to know the number.
_NEEDING = frozenset(
    {"Counter", "bool", "format", "frozenset", "len", "print", "range", "repr", "set", "sorted",
     "str"}
)  # fmt: skip
_SHAPES = re.compile(r"\.shape\b|\.size\(|\.dim\(|\.ndim\b|\blen\(")
_INVERSE: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.GtE(), ast.LtE: ast.Gt(), ast.Gt: ast.LtE(), ast.GtE: ast.Lt(),
    ast.Eq: ast.NotEq(), ast.NotEq: ast.Eq(),
}  # fmt: skip
_STEP = 2  # the place of the argument of arange that is no size
_makes_list = written("_.tolist()")
_ITS_ERROR = "A failed check raises a RuntimeError."


@dataclasses.dataclass(slots=True)
class SizeUses:
    """What is done with a number or a list of them, also under the names that it gets.

    Attributes:
        is_size: Whether it is a size somewhere.
        is_needed: Whether something has to know it: a branch, a loop, a text.
        checks: What raises an error where it is not as it has to be, in the order of the lines.
    """

    code: Code
    is_list: bool
    is_size: bool = False
    is_needed: bool = False
    checks: list[Check] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, code: Code, node: ast.expr | None, *, is_list: bool) -> SizeUses:
        """Follows what an expression gives."""
        uses = cls(code, is_list)
        waiting: list[ast.AST] = [node] if node is not None and code.function is not None else []
        parents, followed = code.parents(), set[str]()
        while waiting:
            number = waiting.pop()
            names = uses._note(number, parents)
            for name in names - followed:
                followed.add(name)
                uses.is_needed |= len(code.stores(name)) > 1
                waiting += code.loads(name)
        uses.checks.sort(key=lambda check: check.lineno)
        return uses

    def _note(self, number: ast.AST, parents: dict[ast.AST, ast.AST]) -> frozenset[str]:
        """Notes one use; returns the names that the number, or those of a list, get by it."""
        if (check := _check_around(self.code, parents, number)) is not None:
            self.checks += [] if check in self.checks else [check]
            return frozenset()
        node, parent = number, parents.get(number)
        while isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Tuple | ast.List | ast.Starred) or (
            isinstance(parent, ast.Subscript) and parent.value is node
        ):
            node, parent = parent, parents.get(parent)
        if parent is not None and called(parent) in {"enumerate", "zip"}:
            node, parent = parent, parents.get(parent)
        match parent:
            case ast.Assign(targets=[target]):
                return names_of(target)
            case ast.For(target=target) | ast.comprehension(target=target):
                return names_of(target)
            case ast.Slice():
                self._note_slice(parent, node, parents)
            case ast.Call():
                self.is_size |= self._takes_size(parent, node)
                self.is_needed |= called(parent) in _NEEDING
            case ast.keyword(arg=word):
                self.is_size |= word in _SIZE_WORDS
            case (
                ast.AugAssign() | ast.NamedExpr() | ast.Compare() | ast.FormattedValue() | ast.If()
                | ast.IfExp() | ast.While() | ast.Assert() | ast.BoolOp()
            ):  # fmt: skip
                self.is_needed = True
        return frozenset()

    def _note_slice(self, cut: ast.Slice, node: ast.AST, parents: dict[ast.AST, ast.AST]) -> None:
        around = parents.get(cut)
        is_tuple = isinstance(around, ast.Tuple)  # nothing but a tensor takes several
        around = parents.get(around) if isinstance(around, ast.Tuple) else around
        if not isinstance(around, ast.Subscript) or not isinstance(around.ctx, ast.Load):
            self.is_needed = True  # Inductor does not take it
            return
        # Of a list torch would have to know how long the slice is.
        name = dotted_name(around.value)
        is_tensor = is_tuple or name in tensors_in(self.code.function or cut)
        is_tensor = is_tensor or name in self.code.parameters() or "(" in ast.unparse(around.value)
        self.is_size |= is_tensor and cut.step is not node

    def _takes_size(self, call: ast.Call, node: ast.AST) -> bool:
        if not isinstance(call.func, ast.Attribute) or node not in call.args:
            return False
        at, module = call.args.index(node), dotted_name(call.func.value)
        match name := call.func.attr:
            case "arange":
                return module == "torch" and at < _STEP
            case "full" | "new_full":
                return at == 0
            case "split" | "split_with_sizes":
                return self.is_list or isinstance(node, ast.List | ast.Tuple)
            case "pad":
                return at == 1
        return name in _METHODS or (module == "torch" and name in _MAKING)


def number_uses(code: Code) -> SizeUses:
    """What is done with the number that the statement makes of a tensor."""
    return SizeUses.of(code, code.find(lambda node: is_number_of(node, "int")), is_list=False)


def list_uses(code: Code) -> SizeUses:
    """The same of a list."""
    return SizeUses.of(code, code.find(_makes_list), is_list=True)


def _check_around(code: Code, parents: dict[ast.AST, ast.AST], node: ast.AST) -> Check | None:
    """The check that an expression is in: in its condition, or in the text of its error."""
    found: ast.AST | None = node
    while found is not None and not isinstance(found, Check):
        found = parents.get(found)
    if found is None:
        return None
    name = node.id if isinstance(node, ast.Name) else ""
    # `torch._check` takes no tensor.
    is_known = all(
        not name or name in names_of(each) or _SHAPES.search(ast.unparse(each))
        for each in _conditions_of(code, found)
    )
    is_own = not name or name in names_of(found.test)
    return found if is_own and is_known and torch_checks(code, found) else None


def torch_checks(code: Code, check: ast.AST | None) -> tuple[str, ...]:
    """The statements that torch takes in its place, as a size is no number that a branch takes.

    One for each condition: torch would have to know the first one for ``and``. Empty where the
    statement does more than check.
    """
    match check:
        case ast.Assert(msg=message):
            pass
        case ast.If(body=[ast.Raise(exc=ast.Call(args=[message, *_]))]):
            pass
        case _:
            message = None
    text = ""
    if isinstance(message, ast.Constant) and isinstance(message.value, str):
        text = f", lambda: {code.shown(message) or ascii(message.value)}"
    conditions = _conditions_of(code, check)
    return tuple(f"torch._check({ast.unparse(each)}{text})" for each in conditions)


def checked_size(code: Code) -> Fix:
    """The statements to write in the place of checks of a number."""
    checks = number_uses(code).checks
    if not checks:
        return Fix()
    made = [(check, torch_checks(code, check)) for check in checks]
    shown = ", and ".join(
        f"`{'; '.join(lines)}` in place of the check in line {check.lineno}"
        for check, lines in made
    )
    setting = under("capture_scalar_outputs=True")
    return Fix(
        f"Write {shown}. To capture the number, use {setting}. {_ITS_ERROR}",
        tuple(e for check, lines in made for e in statements_instead_of(code, check, lines)),
    )


def checked_symbol(code: Code) -> Fix:
    """The statement to write in the place of a check of a captured number."""
    lines = torch_checks(code, code.statement)
    text = f"Write `{'; '.join(lines)}` in place of the check. {_ITS_ERROR}" if lines else ""
    return Fix(text, statements_instead_of(code, code.statement, lines))


def _conditions_of(code: Code, check: ast.AST | None) -> Sequence[ast.expr]:
    """The conditions that hold after the check; empty where it does more than check them."""
    match check:
        case ast.Assert(test=test):
            return _conditions(test, holds=True)
        case ast.If(test=test, body=[ast.Raise()], orelse=[]):
            at_check = dataclasses.replace(code, statement=check, expression=None)
            error = raised(at_check)
            if error is not None and not is_caught(at_check, error):
                return _conditions(test, holds=False)
    return ()


def _conditions(test: ast.expr, *, holds: bool) -> Sequence[ast.expr]:
    """What has to hold, each by itself; empty where that cannot be said."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _conditions(operand, holds=not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == holds:
            parts = [_conditions(value, holds=holds) for value in values]
            return [each for part in parts for each in part] if all(parts) else ()
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _INVERSE:
            return [ast.Compare(left, [op if holds else _INVERSE[type(op)]], [right])]
        case ast.Name():
            not_zero: ast.cmpop = ast.NotEq() if holds else ast.Eq()
            return [ast.Compare(test, [not_zero], [ast.Constant(0)])]
    return ()
