"""Sizes that only a call knows, where they turn out to be 1.

Without knowing it, torch takes such a size for another number than 1. Inductor then keeps a
dimension that `squeeze` leaves out, and raises where a 1 is broadcast; ``aot_eager`` does neither,
and ``eager`` raises as well (2.11 to 2.13; tried).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.code import Code, dotted_name
from inspector.advice.sized import Sized

_BROADCASTING = frozenset({"add", "div", "maximum", "minimum", "mul", "sub", "where"})
_NUMBERS = frozenset({"bool", "float", "int"})


def caution(sized: Sized, instead: str = "") -> str:
    """What the user's code does that differs where the size is 1; empty where it does nothing.

    Args:
        sized: Follows the size.
        instead: What has torch know the size, or empty.
    """
    nodes = sorted(
        (node for node in ast.walk(sized.function) if isinstance(node, ast.expr)),
        key=lambda node: (node.lineno, node.col_offset),
    )
    for node in nodes:
        if isinstance(node, ast.Call) and _squeezes(sized, node):
            return _on_squeeze(sized.code.shown(node), sized.name, instead)
    shown = next((sized.code.shown(node) for node in nodes if _broadcasts(sized, node)), "")
    if not shown:
        return ""
    known = f": {instead}" if instead else ""
    return f"Where it turns out to be 1 and `{shown}` broadcasts it, Inductor raises{known}."


def _on_squeeze(shown: str, name: str, instead: str) -> str:
    ways = [f"`torch._check({name} != 1)` makes that an error"] if name else []
    if shown.endswith(".squeeze()"):
        ways.append("name the dimension if another is meant (`squeeze(-1)`)")
    ways += [instead] if instead else []
    what = f"`{shown}`" if shown else "`squeeze`"
    said = f"Where it turns out to be 1, Inductor keeps the dimension that {what} leaves out"
    return f"{said}, without a word{': ' if ways else ''}{'; or '.join(ways)}."


def _squeezes(sized: Sized, call: ast.Call) -> bool:
    """Whether a dimension of such a size is one that may be left out."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in {"squeeze", "squeeze_"}:
        return False
    is_function = dotted_name(function.value) == "torch"  # `torch.squeeze(x, 0)`
    operands = [*call.args] if is_function else [function.value, *call.args]
    dims = [*operands[1:], *(word.value for word in call.keywords if word.arg == "dim")]
    if not operands or not sized.is_sized(operands[0]):
        return False
    dim = sized.dim(operands[0])
    return not dims or any(isinstance(d, ast.Constant) and d.value == dim for d in dims)


def _broadcasts(sized: Sized, node: ast.expr) -> bool:
    """Whether a tensor of such a size meets one of another size, as far as one can see."""
    operands: list[ast.expr] = []
    match node:
        case ast.BinOp(op=ast.MatMult()):
            pass
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            operands = [left, right]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name), args=args):
            operands = list(args) if name in _BROADCASTING else []
    others = [operand for operand in operands if not sized.is_sized(operand)]
    return len(others) < len(operands) and any(_may_be_tensor(sized, each) for each in others)


def _may_be_tensor(sized: Sized, node: ast.expr) -> bool:
    """Whether something that has not the size is a tensor with dimensions, by all appearances."""
    match node:
        case ast.Name(id=name):
            return name in _tensor_parameters(sized.code)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice()):
            return name in _tensor_parameters(sized.code)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="arange" | "ones")):
            return True
    return False


def _tensor_parameters(code: Code) -> frozenset[str]:
    """The parameters that are not said to be numbers, nor have one as their default."""
    return code.parameters() - frozenset(_numbers(code)) - {"self"}


def _numbers(code: Code) -> Iterator[str]:
    if code.function is None:
        return
    arguments = code.function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    pairs = zip(
        [*positional, *arguments.kwonlyargs], [*defaults, *arguments.kw_defaults], strict=True
    )
    for argument, default in pairs:
        said = argument.annotation
        is_number = isinstance(default, ast.Constant) and default.value is not None
        if is_number or (isinstance(said, ast.Name) and said.id in _NUMBERS):
            yield argument.arg
