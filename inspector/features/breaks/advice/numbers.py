"""Follows a Python number that was a tensor: whether a tensor in its place computes the same."""

import ast
import dataclasses

from inspector.features.breaks.advice.effects import REDUCTIONS, is_pure
from inspector.report.user_code.code import Code, dotted_name, names_of, parameters_of

# A tensor of no dimensions gives with these what a number gives, to rounding. What is not smooth
# (`//`, `%`) would make much of the rounding.
_SMOOTH = (ast.Add, ast.Sub, ast.Mult, ast.Div)
# Methods of tensors that take a tensor without dimensions as they take a number.
_TAKING = frozenset({"clamp_max", "clamp_min", "div", "mul"})


def is_scalar(node: ast.expr) -> bool:
    """Whether a tensor is newly made and has no dimensions: ``x.std()``, ``torch.sum(x)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]):
            return name in REDUCTIONS and dotted_name(value) not in {"torch", "F"}
        case ast.Call(func=function, args=[ast.expr() as value], keywords=[]):
            module, _, name = dotted_name(function).rpartition(".")
            return module == "torch" and name in REDUCTIONS and not isinstance(value, ast.Starred)
    return False


def tensors_in(node: ast.AST) -> frozenset[str]:
    """The names that certainly are tensors: ``x`` where ``x.std()`` or ``(x * x).sum()`` is."""
    found: set[str] = set()
    for inner in ast.walk(node):
        match inner:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args) if (
                name in REDUCTIONS or name in {"abs", "all", "any", "float"}
            ):
                operands = args[:1] if dotted_name(value) == "torch" else [value]
                names = {leaf for operand in operands for leaf in _leaves(operand)}
                found |= names if len(names) == 1 else set()
    return frozenset(found)


def _leaves(node: ast.expr) -> frozenset[str]:
    """The names that an expression calculates with."""
    match node:
        case ast.Name() | ast.Attribute() if dotted_name(node):
            return frozenset({dotted_name(node)})
        case ast.BinOp(left=left, right=right):
            return _leaves(left) | _leaves(right)
        case ast.UnaryOp(operand=value):
            return _leaves(value)
        case ast.Call(func=ast.Attribute(value=value)) if is_pure(node):
            return _leaves(value)
    return frozenset()


@dataclasses.dataclass(slots=True)
class Uses:
    """What is done with a number.

    Attributes:
        changes: What has to change where the number is a tensor, as ``(new, old)``, and where.
    """

    code: Code
    tensors: frozenset[str]
    changes: dict[tuple[str, str], list[ast.expr]] = dataclasses.field(default_factory=dict)
    _parents: dict[ast.AST, ast.AST] = dataclasses.field(default_factory=dict)
    _followed: set[str] = dataclasses.field(default_factory=set)

    def allow_tensor(self, node: ast.expr) -> bool:
        """Whether all that is made of the number is a tensor anyway.

        Fills `changes`. False where that is not certain.
        """
        if self.code.function is None or not self.tensors:
            return False
        self._parents = self.code.parents()
        return (
            self._allows(node)
            and all(map(self._stays_tensor, self.tensors))
            # A number that it is set to elsewhere has no `clamp`.
            and not (self.changes and any(len(self.code.stores(n)) > 1 for n in self._followed))
        )

    def _allows(self, node: ast.AST) -> bool:
        match parent := self._parents.get(node):
            case ast.BinOp(left=left, op=operation, right=right):
                with_tensor = self._is_tensor(right if left is node else left)
                return isinstance(operation, _SMOOTH) and (
                    with_tensor or (_keeps_number(parent, node) and self._allows(parent))
                )
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                return self._allows(parent)
            case ast.Call() | ast.keyword():
                return self._takes(parent, node)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
                return self._allows_name(name)
        return False

    def _allows_name(self, name: str) -> bool:
        """Whether all uses of a name allow a tensor, those above it too: it may be in a loop."""
        if name in self._followed:
            return True
        self._followed.add(name)
        # A loop, `with` or another function in this one gives it another value.
        setters = [
            self._parents.get(setter) if isinstance(setter, ast.Tuple) else setter
            for setter in self.code.setters(name)
        ]
        if not all(isinstance(setter, ast.Assign) for setter in setters if setter):
            return False
        if self.code.is_outer(name) or _is_another_within(self.code.function, name):
            return False
        return all(map(self._allows, self.code.loads(name)))

    def _is_tensor(self, node: ast.expr) -> bool:
        match node:
            case ast.Name() | ast.Attribute():
                return dotted_name(node) in self.tensors
            case ast.BinOp(left=left, right=right):
                return self._is_tensor(left) or self._is_tensor(right)
            case ast.UnaryOp(op=ast.USub(), operand=value):
                return self._is_tensor(value)
            case ast.Call(func=ast.Attribute(value=value)):
                # `x.size(0)` and `x.numel()` are numbers.
                return is_scalar(node) and self._is_tensor(value)
        return False

    def _stays_tensor(self, name: str) -> bool:
        """Whether what a name is set to, below the statement or in a loop, is a tensor again."""
        values = [
            setter.value
            for setter in self.code.setters(name)
            if isinstance(setter, ast.Assign) and len(setter.targets) == 1
        ]
        is_all = len(values) == len(self.code.stores(name))
        return is_all and all(map(self._becomes_tensor, values))

    def _becomes_tensor(self, value: ast.expr) -> bool:
        match value:
            case ast.Call(func=ast.Name(id=name)):
                return name not in {"bool", "float", "int", "len", "list", "max", "min", "tuple"}
            case ast.Call(func=ast.Attribute(attr=name)):
                return name not in {"dim", "item", "numel", "numpy", "size", "tolist", "unbind"}
        return self._is_tensor(value)

    def _takes(self, parent: ast.Call | ast.keyword, node: ast.AST) -> bool:
        """Whether a call takes a tensor as it takes a number, and all that it gives allows one."""
        call = self._parents.get(parent) if isinstance(parent, ast.keyword) else parent
        match call:
            case ast.Call(func=ast.Attribute(attr="clamp"), args=args, keywords=words):
                on = dotted_name(call.func) == "torch.clamp"  # and not `x.clamp`
                bounds = [*args[int(on) :], *(word.value for word in words)]
                # A tensor and a number are no pair.
                return len(bounds) == 1 or all(_is_of(each, node) for each in bounds)
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _TAKING:
                return node in args  # what it gives is a tensor in any case
            case ast.Call() if call is parent:
                return self._bounds(call, node) and self._allows(call)
        return False

    def _bounds(self, call: ast.Call, node: ast.AST) -> bool:
        """``max(t, 1e-3)`` on tensors, as Python does it: where `t` is NaN the first one stays."""
        match call, node:
            case (
                ast.Call(func=ast.Name(id="max" | "min" as function), args=[one, two], keywords=[]),
                ast.Name(id=name),
            ):
                bound = self.code.shown(two if one is node else one)
                if not isinstance(two if one is node else one, ast.Constant) or not bound:
                    return False
                side, sign = ("min", ">") if function == "max" else ("max", "<")
                clamped = f"{name}.clamp({side}={bound})"
                chosen = f"torch.where({name} {sign} {bound}, {name}, {bound})"
                change = clamped if one is node else chosen, self.code.shown(call)
                self.changes.setdefault(change, []).append(call)
                return True
        return False


def _is_another_within(function: ast.AST | None, name: str) -> bool:
    """Whether a function in a function has a parameter of that name."""
    kinds = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)
    inner = (node for node in ast.walk(function or ast.Pass()) if node is not function)
    return any(isinstance(node, kinds) and name in parameters_of(node.args) for node in inner)


def _keeps_number(parent: ast.BinOp, node: ast.AST) -> bool:
    """Whether a number is made with a constant that makes no error of any number."""
    other = parent.right if parent.left is node else parent.left
    match parent.op, other:
        case ast.Div(), ast.Constant(value=int() | float() as number):
            return other is parent.right and number != 0
        case _, ast.Constant(value=int() | float()):
            return True
    return False


def tensor_of(
    number: ast.AST | None, conversions: tuple[str, ...] = ("bool", "float", "int")
) -> ast.expr | None:
    """What a number is made of: ``t`` of ``t.item()``, and of ``int(t)`` by a conversion's name."""
    match number:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in conversions:
            return None if isinstance(value, ast.Constant) else value
    return None


def is_number_of(node: ast.AST, *conversions: str) -> bool:
    """Whether a number is made of a tensor: ``t.item()``, or ``int(t)`` by a conversion's name."""
    return tensor_of(node, conversions) is not None


def _is_of(node: ast.expr, number: ast.AST) -> bool:
    """Whether an expression is calculated of the same name, and of nothing else."""
    one, other = names_of(node), names_of(number)
    calls = any(isinstance(each, ast.Call) for side in (node, number) for each in ast.walk(side))
    return bool(one) and one == other and not calls
