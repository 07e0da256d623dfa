"""Follows what has a size that was in a tensor: cuts, and what is calculated of them."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from inspector.advice.code import Code, dotted_name
from inspector.advice.effects import REDUCTIONS
from inspector.advice.numbers import is_scalar
from inspector.advice.size_uses import SHAPING

_TAKING_SIZES = SHAPING | {"arange", "full", "narrow", "new_full", "pad", "randperm", "split"}
# What these give has not the size, or is no tensor.
_OTHERWISE = frozenset(
    {"cat", "concat", "dim", "flatten", "item", "len", "numel", "shape", "size", "squeeze",
     "tolist"}
)  # fmt: skip


@dataclasses.dataclass(slots=True)
class Sized:
    """Follows a number, or a list of numbers, or a tensor whose size depends on values.

    Attributes:
        number: The expression that makes the number or the list, or None.
        tensor: The expression that makes the tensor, or None.
    """

    code: Code
    number: ast.expr | None = None
    tensor: ast.expr | None = None
    _numbers: set[str] = dataclasses.field(default_factory=set)
    _tensors: dict[str, int | None] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Finds the names that numbers and tensors get, in the order of the lines."""
        for target, value in sorted(_bindings(self.code), key=lambda pair: pair[1].lineno):
            names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
            if self.is_number(value):
                self._numbers |= names
            elif self.is_sized(value):
                dim = self.dim(value) if isinstance(target, ast.Name) else None
                self._tensors |= dict.fromkeys(names, dim)

    @property
    def function(self) -> ast.AST:
        """The function, or nothing."""
        return self.code.function or ast.Pass()

    @property
    def name(self) -> str:
        """The one name of the number, if it is the very size wherever it says one, or ''."""
        match self.number:
            case ast.Call(func=ast.Attribute(attr="tolist")):
                return ""  # a list has several
        parents = self.code.parents()
        for node in ast.walk(self.function):
            if isinstance(node, ast.Slice) and node.lower is not None and self._ends(node):
                return ""
            if isinstance(node, ast.BinOp | ast.UnaryOp) and self.is_number(node):
                is_set = isinstance(parents.get(node), ast.Assign)
                if not is_set or all(inner is not self.number for inner in ast.walk(node)):
                    return ""
        return next(iter(self._numbers)) if len(self._numbers) == 1 else ""

    def is_number(self, node: ast.expr) -> bool:
        """Whether an expression is the number, is calculated of it, or holds it."""
        match node:
            case ast.Name(id=name):
                return name in self._numbers or node is self.number
            case ast.UnaryOp(operand=value) | ast.Starred(value=value) | ast.Subscript(value=value):
                return self.is_number(value)
            case ast.BinOp(left=left, right=right):
                return any(map(self.is_number, (left, right))) and all(
                    self.is_number(side) or _is_plain(side) for side in (left, right)
                )
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return any(map(self.is_number, parts))
        return node is self.number

    def is_sized(self, node: ast.expr) -> bool:
        """Whether an expression is a tensor of such a size, or several of them."""
        match node:
            case ast.Name(id=name):
                found = name in self._tensors
            case ast.Subscript(value=value):
                found = self._cut(node) is not None or self.is_sized(value)
            case ast.UnaryOp(operand=value) | ast.BinOp(left=value, op=ast.MatMult()):
                found = self.is_sized(value)  # of `@` the size on the right is summed over
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                found = self.is_sized(left) or self.is_sized(right)
            case ast.Call():
                found = self._gives(node)
            case _:
                found = False
        return found or node is self.tensor

    def dim(self, node: ast.expr) -> int | None:
        """Which dimension has the size, or None where that is not known."""
        match node:
            case ast.Name(id=name):
                return self._tensors.get(name)
            case ast.Subscript():
                return self._cut(node)
        return None

    def _cut(self, node: ast.Subscript) -> int | None:
        """Which dimension is cut, 0 of ``x[:n]``, or -1 where an index before it takes one away."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for at, part in enumerate(parts):
            if isinstance(part, ast.Slice) and self._ends(part):
                return at if all(isinstance(other, ast.Slice) for other in parts[:at]) else -1
        return None

    def _ends(self, part: ast.Slice) -> bool:
        """Whether the number is an end of a slice."""
        ends = [end for end in (part.lower, part.upper) if end is not None]
        return any(map(self.is_number, ends))

    def _gives(self, call: ast.Call) -> bool:
        """Whether a call gives such a tensor: it makes one, or calculates with one."""
        function = call.func
        name = dotted_name(function).rpartition(".")[2]
        if isinstance(function, ast.Attribute):
            name = function.attr
        values = [*call.args, *(word.value for word in call.keywords)]
        if name in _OTHERWISE or is_scalar(call) or (name in REDUCTIONS and not values):
            return False
        if name in _TAKING_SIZES and any(map(self.is_number, values)):
            return True
        owner = [function.value] if isinstance(function, ast.Attribute) else []
        return any(map(self.is_sized, [*owner, *values]))


def _bindings(code: Code) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What gets a value, and which: of a loop one of its items."""
    for node in ast.walk(code.function) if code.function else ():
        match node:
            case ast.Assign(targets=[target], value=value):
                yield target, value
            case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                yield from _items(target, over)


def _items(target: ast.expr, over: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    match target, over:
        case ast.Tuple(elts=parts), ast.Call(func=ast.Name(id="zip"), args=args):
            yield from zip(parts, args, strict=False)
        case ast.Tuple(elts=[_, part]), ast.Call(func=ast.Name(id="enumerate"), args=[each]):
            yield from _items(part, each)
        case _:
            yield target, over


def _is_plain(node: ast.expr) -> bool:
    """Whether it is a number that Python knows: ``2``, ``x.shape[0]``, ``len(x)``."""
    match node:
        case ast.Constant():
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(func=ast.Attribute(attr="size" | "numel") | ast.Name(id="len")):
            return True
    return False
