"""Follows numbers that were in a tensor, and lists of them: whether they are sizes."""

from __future__ import annotations

import ast
import dataclasses

from inspector.features.breaks.advice.numbers import is_number_of
from inspector.report.user_code.code import Code, called, dotted_name, names_of, written

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
_STEP = 2  # the place of the argument of arange that is no size
_LISTS = (ast.List, ast.ListComp, ast.Tuple)
_makes_list = written("_.tolist()")


@dataclasses.dataclass(slots=True)
class SizeUses:
    """What is done with a number or a list of them, also under the names that it gets."""

    code: Code
    is_list: bool
    is_size: bool = False
    is_needed: bool = False

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
        return uses

    def _note(self, number: ast.AST, parents: dict[ast.AST, ast.AST]) -> frozenset[str]:
        """Notes one use; returns the names that the number, or those of a list, get by it."""
        if _is_checked(parents, number):
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
        made = [isinstance(x, ast.Assign) and x.value for x in self.code.setters(name)]
        is_tensor = is_tuple or name in self.code.parameters() or "(" in ast.unparse(around.value)
        is_tensor = is_tensor or (bool(made) and all(x and not isinstance(x, _LISTS) for x in made))
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


def _is_checked(parents: dict[ast.AST, ast.AST], node: ast.AST | None) -> bool:
    """Whether it is in an assertion, or in a branch that raises: `torch._check` takes a symbol."""
    while node is not None:
        match node:
            case ast.Assert() | ast.If(body=[ast.Raise()], orelse=[]):
                return True
        node = parents.get(node)
    return False
