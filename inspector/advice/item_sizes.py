"""Tensors that become Python numbers for sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from inspector.advice.advice import Advice
from inspector.advice.code import Code, dotted_name
from inspector.advice.conditions import names_in
from inspector.advice.kinds import ITEM
from inspector.advice.numbers import tensors_in

__all__ = ["ADVICE"]

# Functions whose arguments are sizes (tried on torch 2.11 and 2.13, Inductor included).
_MAKING = frozenset({"empty", "ones", "rand", "randn", "zeros"})
_STEP = 2  # the place of arange's argument that is no size


def _is_size(code: Code) -> bool:
    """Whether all that is done with the number is to cut tensors or to make new ones."""
    number = _number(code)
    if number is None or code.function is None:
        return False
    name = code.target
    if not name or not isinstance(code.statement, ast.Assign) or code.statement.value is not number:
        return _sizes([number], number, code)
    loads = code.loads(name)
    return bool(loads) and len(code.stores(name)) == 1 and _sizes(loads, number, code)


def _number(code: Code) -> ast.expr | None:
    """The expression that makes the number: ``x.sum().item()``, ``int(x.sum())``."""
    return code.find(lambda node: isinstance(node, ast.Call) and _makes_number(node))


def _makes_number(node: ast.Call) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="item"), args=[], keywords=[]):
            return True
        case ast.Call(func=ast.Name(id="int"), args=[value], keywords=[]):
            return _is_integer(value)
    return False


def _is_integer(node: ast.expr) -> bool:
    """Whether a tensor certainly is one of integers: Inductor makes no size of a rounded float."""
    match node:
        case ast.Call(func=ast.Attribute(attr="argmax" | "argmin" | "count_nonzero")):
            return True
        case ast.Call(func=ast.Attribute(value=value, attr="sum")):
            operands = node.args[:1] if dotted_name(value) == "torch" else [value]
            return any(isinstance(operand, ast.Compare) for operand in operands)
    return False


def _sizes(uses: Iterable[ast.expr], number: ast.expr, code: Code) -> bool:
    parents = code.parents()
    tensors = tensors_in(code.function) if code.function is not None else frozenset()
    tensors |= set(names_in(number))  # what the number is made of
    return all(_is_one(use, parents, tensors) for use in uses)


def _is_one(use: ast.expr, parents: dict[ast.AST, ast.AST], tensors: frozenset[str]) -> bool:
    """Whether a size is made of a number: it is in a slice that is read, or such an argument."""
    path: list[ast.AST] = [use]
    while isinstance(parents.get(path[-1]), ast.BinOp | ast.UnaryOp | ast.Tuple | ast.List):
        path.append(parents[path[-1]])
    child, node = path[-1], parents.get(path[-1])
    match node:
        case ast.Slice(step=step) if step is not child:
            around = parents.get(node)
            while isinstance(around, ast.Tuple):
                around = parents.get(around)
            # Of a list torch would have to know how long the slice is.
            if not isinstance(around, ast.Subscript) or not isinstance(around.ctx, ast.Load):
                return False
            return dotted_name(around.value) in tensors
        case ast.Call(func=ast.Attribute() as function, args=args) if child in args:
            return _is_argument(function, args.index(child), path)
    return False


def _is_argument(function: ast.Attribute, at: int, path: list[ast.AST]) -> bool:
    """Whether an argument of a call of a function or a method is a size."""
    is_torchs = dotted_name(function) == f"torch.{function.attr}"
    match function.attr:
        case "arange":
            return is_torchs and at < _STEP
        case "full":
            return is_torchs and at == 0
        case "split":
            return any(isinstance(node, ast.List | ast.Tuple) for node in path)
        case name:
            return name == "narrow" or (is_torchs and name in _MAKING)


_PROGRAM = """\
import torch


@torch.compile
def forward(x):
    n = x.argmax().item()
    return x[:n].sum() + torch.arange(n).sum()


outputs = [forward(x) for x in (torch.arange(3.0), torch.arange(5.0).flip(0), torch.ones(1))]
"""
_CUT = """\
import torch


@torch.compile
def forward(x):
    n = int((x > 0).sum())
    return x[:n] * 2, torch.zeros(n, 2) + 1


outputs = [forward(x) for x in (torch.arange(3.0), torch.arange(5.0).flip(0), -torch.ones(2))]
"""
_SETTING = "import torch\n\ntorch._dynamo.config.capture_scalar_outputs = True\n"

ITEM_SIZE = Advice(
    id="item-size",
    kinds=(ITEM,),
    where=_is_size,
    title="a tensor made a Python number that is a size",
    fix="`torch._dynamo.config.capture_scalar_outputs = True` at the start of the program: the "
    "number stays in the graph as a size that torch does not know beforehand.",
    before=_PROGRAM,
    after=_SETTING + _PROGRAM.removeprefix("import torch\n"),
    keeps="The outputs and gradients. What has such a size is compiled for all sizes. On a GPU "
    "the number is waited for, as it was.",
    pairs=((_CUT, _SETTING + _CUT.removeprefix("import torch\n")),),
    instead_of=r"capture_scalar_outputs",
)

ADVICE = (ITEM_SIZE,)
