"""Follows a number that was in a tensor, and a list of them: whether they are sizes."""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator
from typing import TypeGuard

from inspector.features.breaks.advice.number_checks import Check, check_around
from inspector.features.breaks.advice.numbers import tensors_in
from inspector.report.user_code.code import Code, called, dotted_name

# Functions whose arguments are sizes (tried on torch 2.11 and 2.13, Inductor included).
_MAKING = frozenset({"empty", "eye", "ones", "rand", "randn", "randperm", "zeros"})
_METHODS = frozenset(
    {"expand", "narrow", "new_empty", "new_ones", "new_zeros", "repeat", "tile", "unflatten",
     "view"}
)  # fmt: skip
_SHAPING = (_MAKING | _METHODS | {"reshape"}) - {"narrow", "randperm"}
_STEP = 2  # the place of arange's argument that is no size
_NEEDING = frozenset({"bool", "format", "len", "print", "range", "repr", "str"})


class Use(enum.Enum):
    """What is done with a number."""

    SIZE = enum.auto()
    CHECKED = enum.auto()  # an error is raised where it is not as it has to be
    OTHER = enum.auto()
    WRONG = enum.auto()  # what torch cannot do with a number that it does not know


@dataclasses.dataclass(slots=True)
class SizeUses:
    """Follows a number, and what is calculated of it.

    Attributes:
        checks: What checks the number, in the order of the lines; filled by `uses`.
        others: Names that are numbers of the same list.
    """

    code: Code
    tensors: frozenset[str]
    parents: dict[ast.AST, ast.AST]
    checks: dict[Check, None] = dataclasses.field(default_factory=dict)
    others: set[str] = dataclasses.field(default_factory=set)
    _followed: set[str] = dataclasses.field(default_factory=set)

    def uses(self, number: ast.expr) -> Iterator[Use]:
        """What is done with a number, also under the names that it gets."""
        check = check_around(self.code, self.parents, number, self.others)
        if check is not None:
            self.checks[check] = None
            yield Use.CHECKED
            return
        path: list[ast.AST] = [number]
        while _is_calculated(parent := self.parents.get(path[-1])):
            path.append(parent)
        match parent:
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield from self.named(name, stores=1)
            case ast.AugAssign() | ast.NamedExpr() | ast.Compare() | ast.FormattedValue():
                yield Use.WRONG
            case ast.If() | ast.IfExp() | ast.While() | ast.Assert() | ast.BoolOp():
                yield Use.WRONG
            case ast.Slice():
                yield self._slice(parent, path[-1])
            case ast.Call(func=ast.Name(id=name)) if (helper := self._helper(name)) is not None:
                yield from self._passed(parent, path[-1], helper)
            case ast.Call():
                yield _argument(parent, path)
            case ast.keyword(arg=name):
                call = self.parents.get(parent)
                is_size = name == "size" and isinstance(call, ast.Call)
                yield Use.SIZE if is_size else Use.OTHER
            case _:
                yield Use.OTHER

    def named(self, name: str, *, stores: int) -> Iterator[Use]:
        """What is done with a number that has a name, which is set so often."""
        if name in self._followed:
            return
        self._followed.add(name)
        if len(self.code.stores(name)) != stores:
            yield Use.WRONG
        for load in self.code.loads(name):
            yield from self.uses(load)

    def _helper(self, name: str) -> ast.FunctionDef | None:
        """A function of the same file, followed from the compiled function alone."""
        found = [node for node in self.code.helpers if node.name == name]
        return found[0] if len(found) == 1 else None

    def _passed(self, call: ast.Call, child: ast.AST, helper: ast.FunctionDef) -> Iterator[Use]:
        """What a helper does with the number that it is given."""
        names = [word.arg for word in helper.args.args]
        at = next((n for n, argument in enumerate(call.args) if argument is child), len(names))
        if at >= len(names) or any(isinstance(node, ast.Starred) for node in call.args[:at]):
            yield Use.OTHER
            return
        inner = dataclasses.replace(self.code, function=helper, helpers=())
        within = SizeUses(inner, tensors_in(helper), inner.parents(), self.checks)
        yield from within.named(names[at], stores=0)

    def _slice(self, node: ast.Slice, child: ast.AST) -> Use:
        around = self.parents.get(node)
        is_tuple = isinstance(around, ast.Tuple)  # nothing but a tensor takes several
        around = self.parents.get(around) if isinstance(around, ast.Tuple) else around
        if not isinstance(around, ast.Subscript) or not isinstance(around.ctx, ast.Load):
            return Use.WRONG  # Inductor does not take it
        # Of a list torch would have to know how long the slice is.
        is_tensor = is_tuple or dotted_name(around.value) in self.tensors
        return Use.SIZE if is_tensor and node.step is not child else Use.OTHER


def _is_calculated(node: ast.AST | None) -> TypeGuard[ast.AST]:
    """Whether what is made of a number is one again, or holds it."""
    match node:
        case ast.BinOp() | ast.UnaryOp(op=ast.USub() | ast.UAdd()) | ast.Tuple() | ast.List():
            return True
    return False


def _argument(call: ast.Call, path: list[ast.AST]) -> Use:
    """What an argument of a call of a function or a method is."""
    name = dotted_name(call.func)
    at = next((n for n, argument in enumerate(call.args) if argument is path[-1]), None)
    if at is None:
        return Use.OTHER
    if name in _NEEDING:
        return Use.WRONG
    function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return Use.SIZE if _takes_size(name, function, at, path) else Use.OTHER


def _takes_size(name: str, function: str, at: int, path: list[ast.AST]) -> bool:
    module = name.rpartition(".")[0]
    match function:
        case "arange":
            return module == "torch" and at < _STEP
        case "full" | "new_full":
            return at == 0 and (module == "torch" or function == "new_full")
        case "split":
            return any(isinstance(node, ast.List | ast.Tuple) for node in path)
        case "pad":
            return at == 1 and module.rpartition(".")[2] in {"F", "functional"}
    return function in _METHODS or (module == "torch" and function in _MAKING)


_SPLITTING = frozenset({"split", "split_with_sizes"})
_SIZES = frozenset({"size", "split_size_or_sections", "split_sizes"})
# What needs to know the numbers; how many there are is known.
_NEEDING_VALUES = frozenset(
    {"Counter", "all", "any", "format", "frozenset", "print", "repr", "set", "sorted", "str"}
)


@dataclasses.dataclass(slots=True)
class ListUses:
    """Follows a list, and its numbers."""

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
                yield self._argument(parent)
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

    def _argument(self, parent: ast.Call | ast.Starred) -> Use:
        """What the list is to a function or a method that gets it, or all of its numbers."""
        is_star = isinstance(parent, ast.Starred)
        call = self.numbers.parents.get(parent) if is_star else parent
        name = called(call)
        if name in _NEEDING_VALUES:
            return Use.WRONG
        is_size = name in _SHAPING or (name in _SPLITTING and not is_star)
        is_method = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        return Use.SIZE if is_method and is_size else Use.OTHER
