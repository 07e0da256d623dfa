"""Tensors that become Python numbers for sizes."""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator
from typing import TypeGuard

from inspector.advice.advice import Advice
from inspector.advice.code import Code, dotted_name
from inspector.advice.conditions import names_in
from inspector.advice.kinds import ITEM
from inspector.advice.numbers import is_number_of, tensors_in

__all__ = ["ADVICE"]

# Functions whose arguments are sizes (tried on torch 2.11 and 2.13, Inductor included).
_MAKING = frozenset({"empty", "eye", "ones", "rand", "randn", "randperm", "zeros"})
_METHODS = frozenset(
    {"expand", "narrow", "new_empty", "new_ones", "new_zeros", "repeat", "tile", "unflatten",
     "view"}
)  # fmt: skip
_STEP = 2  # the place of arange's argument that is no size
_NEEDING = frozenset({"bool", "format", "len", "print", "range", "repr", "str"})


class _Use(enum.Enum):
    """What is done with a number."""

    SIZE = enum.auto()
    OTHER = enum.auto()
    WRONG = enum.auto()  # what torch cannot do with a number that it does not know


def _is_size(code: Code) -> bool:
    """Whether the number cuts tensors or makes new ones, and nothing needs to know it."""
    number = _number(code)
    if number is None or code.function is None:
        return False
    tensors = tensors_in(code.function) | set(names_in(number))  # what the number is made of
    found = set(_Numbers(code, tensors, code.parents()).uses(number))
    return _Use.SIZE in found and _Use.WRONG not in found


def _number(code: Code) -> ast.expr | None:
    """The expression that makes the number: ``x.sum().item()``, ``int(x.sum())``."""
    return code.find(lambda node: is_number_of(node, "int"))


@dataclasses.dataclass(slots=True)
class _Numbers:
    """Follows a number, and what is calculated of it.

    Attributes:
        code: The function.
        tensors: Names that are tensors.
        parents: What each node is in.
    """

    code: Code
    tensors: frozenset[str]
    parents: dict[ast.AST, ast.AST]
    _followed: set[str] = dataclasses.field(default_factory=set)

    def uses(self, number: ast.expr) -> Iterator[_Use]:
        """What is done with a number, also under the names that it gets."""
        path: list[ast.AST] = [number]
        while _is_calculated(parent := self.parents.get(path[-1])):
            path.append(parent)
        match parent:
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield from self._named(name, stores=1)
            case ast.AugAssign() | ast.NamedExpr() | ast.Compare() | ast.FormattedValue():
                yield _Use.WRONG
            case ast.If() | ast.IfExp() | ast.While() | ast.Assert() | ast.BoolOp():
                yield _Use.WRONG
            case ast.Slice():
                yield self._slice(parent, path[-1])
            case ast.Call(func=ast.Name(id=name)) if (helper := self._helper(name)) is not None:
                yield from self._passed(parent, path[-1], helper)
            case ast.Call():
                yield _argument(parent, path)
            case ast.keyword(arg=name):
                call = self.parents.get(parent)
                is_size = name == "size" and isinstance(call, ast.Call)
                yield _Use.SIZE if is_size else _Use.OTHER
            case _:
                yield _Use.OTHER

    def _named(self, name: str, *, stores: int) -> Iterator[_Use]:
        if name in self._followed:
            return
        self._followed.add(name)
        if len(self.code.stores(name)) != stores:
            yield _Use.WRONG
        for load in self.code.loads(name):
            yield from self.uses(load)

    def _helper(self, name: str) -> ast.FunctionDef | None:
        """A function of the same file, followed from the compiled function alone."""
        found = [node for node in self.code.helpers if node.name == name]
        return found[0] if len(found) == 1 else None

    def _passed(self, call: ast.Call, child: ast.AST, helper: ast.FunctionDef) -> Iterator[_Use]:
        """What a helper does with the number that it is given."""
        names = [word.arg for word in helper.args.args]
        at = next((n for n, argument in enumerate(call.args) if argument is child), len(names))
        if at >= len(names) or any(isinstance(node, ast.Starred) for node in call.args[:at]):
            yield _Use.OTHER
            return
        inner = dataclasses.replace(self.code, function=helper, helpers=())
        within = _Numbers(inner, tensors_in(helper), inner.parents())
        yield from within._named(names[at], stores=0)

    def _slice(self, node: ast.Slice, child: ast.AST) -> _Use:
        around = self.parents.get(node)
        is_tuple = isinstance(around, ast.Tuple)  # nothing but a tensor takes several
        around = self.parents.get(around) if isinstance(around, ast.Tuple) else around
        if not isinstance(around, ast.Subscript) or not isinstance(around.ctx, ast.Load):
            return _Use.WRONG  # Inductor does not take it
        # Of a list torch would have to know how long the slice is.
        is_tensor = is_tuple or dotted_name(around.value) in self.tensors
        return _Use.SIZE if is_tensor and node.step is not child else _Use.OTHER


def _is_calculated(node: ast.AST | None) -> TypeGuard[ast.AST]:
    """Whether what is made of a number is one again, or holds it."""
    match node:
        case ast.BinOp() | ast.UnaryOp(op=ast.USub() | ast.UAdd()) | ast.Tuple() | ast.List():
            return True
    return False


def _argument(call: ast.Call, path: list[ast.AST]) -> _Use:
    """What an argument of a call of a function or a method is."""
    name = dotted_name(call.func)
    at = next((n for n, argument in enumerate(call.args) if argument is path[-1]), None)
    if at is None:
        return _Use.OTHER
    if name in _NEEDING:
        return _Use.WRONG
    function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return _Use.SIZE if _takes_size(name, function, at, path) else _Use.OTHER


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
def forward(x, lengths):
    n = int((x > 0).sum())
    rows = int(lengths.max()) * 2
    summed = x.new_zeros(rows).index_add(0, lengths, x[:2])
    return x[:n] * n, torch.zeros(n, 2) + 1, summed, torch.arange(int(lengths.sum()))


lengths = torch.tensor([1, 2]), torch.tensor([3, 1]), torch.tensor([2, 2])
inputs = torch.arange(3.0), torch.arange(5.0).flip(0), -torch.ones(2)
outputs = [forward(*each) for each in zip(inputs, lengths)]
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
