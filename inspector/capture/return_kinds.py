"""What a function returns, read from its source: whether it makes a model, without calling it.

A call could change what the compiled first call meets (a cache that it fills, a counter).
"""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import importlib
import inspect
import textwrap
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import nn

_MOST_CALLS = 4  # functions that return what another one returns
_UNKNOWN = object()
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


class Returned(enum.Enum):
    """What the source says of a function's result."""

    MODEL = enum.auto()
    FUNCTION = enum.auto()
    OTHER = enum.auto()


def returned(function: Callable[..., Any]) -> Returned:
    """What a function returns, as far as its annotation, its source, and its globals tell."""
    try:
        return _returned(function, frozenset(), _MOST_CALLS)
    except Exception:  # noqa: BLE001 - names stand for objects of the user's: they do what they like
        return Returned.OTHER


def _returned(function: Callable[..., Any], models: frozenset[str], calls: int) -> Returned:
    """`models` are the parameters that get a model."""
    function = inspect.unwrap(function)
    if not isinstance(function, FunctionType) or not calls:
        return Returned.OTHER
    annotated = _annotated(function)
    if annotated is not None:
        return annotated
    tree = _tree(function)
    if tree is None or inspect.isgeneratorfunction(function):
        return Returned.OTHER
    return _Body(function, tree, models, calls).returned()


def _annotated(function: FunctionType) -> Returned | None:
    """What its return annotation says; None where it has none that says it."""
    try:
        hint = typing.get_type_hints(function).get("return")
    except Exception:  # noqa: BLE001 - an annotation is any expression of the user's
        return None
    origin = typing.get_origin(hint) or hint
    if not isinstance(origin, type):
        return None
    if issubclass(origin, nn.Module):
        return Returned.MODEL
    return Returned.OTHER if issubclass(origin, torch.Tensor) else None


def _tree(function: FunctionType) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError):
        return None
    first = body[0] if body else None
    return first if isinstance(first, ast.FunctionDef | ast.AsyncFunctionDef) else None


class _Body:
    """The body of one function."""

    def __init__(
        self,
        function: FunctionType,
        tree: ast.FunctionDef | ast.AsyncFunctionDef,
        models: frozenset[str],
        calls: int,
    ) -> None:
        self._function = function
        self._models = models
        self._calls = calls
        self._own = list(_own_nodes(tree))
        parameters = [item.arg for item in ast.walk(tree.args) if isinstance(item, ast.arg)]
        self._values: dict[str, list[ast.expr]] = {name: [] for name in parameters}
        self._functions = {node.name for node in self._own if isinstance(node, ast.FunctionDef)}
        self._local: dict[str, Callable[[], object]] = {}
        for node in self._own:
            self._assign(node)
            self._local |= self._named(node)

    def _assign(self, node: ast.AST) -> None:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            targets = [node.target]
        for target in targets:
            value = getattr(node, "value", None)
            if isinstance(target, ast.Name) and value is not None:
                self._values.setdefault(target.id, []).append(value)

    def _named(self, node: ast.AST) -> Iterator[tuple[str, Callable[[], object]]]:
        """What an import, or a class, inside of the function names."""
        if isinstance(node, ast.ClassDef):
            yield node.name, functools.partial(self._base, node)
        if isinstance(node, ast.Import):
            for item in node.names:
                yield item.asname or item.name, functools.partial(_imported, item.name, "")
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for item in node.names:
                named = functools.partial(_imported, node.module, item.name)
                yield item.asname or item.name, named

    def _base(self, node: ast.ClassDef) -> object:
        """The first base of a class, which stands for it."""
        return self._object(node.bases[0]) if node.bases else object

    def returned(self) -> Returned:
        """The model or the function that one of its statements returns."""
        found = [
            self._of(node.value) for node in self._own
            if isinstance(node, ast.Return) and node.value is not None
        ]  # fmt: skip
        return _first(found)

    def _of(self, value: ast.expr) -> Returned:
        match value:
            case ast.Name() | ast.Attribute():
                found = self._of_name(value)
            case ast.Lambda():
                found = Returned.FUNCTION
            case ast.Call():
                found = self._of_call(value)
            case _:
                found = _first(map(self._of, _parts(value)))
        return found

    def _of_name(self, value: ast.expr) -> Returned:
        name = value.id if isinstance(value, ast.Name) else ""
        if name in self._functions:
            return Returned.FUNCTION
        if name in self._models:
            return Returned.MODEL
        if name not in self._values:
            return _of_object(self._object(value))
        values = self._values[name]
        self._values[name] = []  # it may be made of itself: `net = net.eval()`
        found = _first(map(self._of, values))
        self._values[name] = values
        return found

    def _of_call(self, call: ast.Call) -> Returned:
        called = self._object(call.func)
        if called is _UNKNOWN:
            # `Net().eval()` is the model again, `Net()(x)` and `Net().forward(x)` are not.
            is_same = isinstance(call.func, ast.Attribute) and _returns_self(call.func.attr)
            parts = [call.func.value] if is_same else []  # type: ignore[attr-defined]
        elif called is torch.compile:
            parts = call.args[:1]
        elif isinstance(inspect.unwrap(called), FunctionType):  # of `functools.cache`, say
            function = inspect.unwrap(called)
            return _returned(function, self._given(call, function), self._calls - 1)
        else:
            return Returned.MODEL if _is_constructor(called) else Returned.OTHER
        return _first(map(self._of, parts))

    def _given(self, call: ast.Call, called: FunctionType) -> frozenset[str]:
        """The parameters that a call gives a model to."""
        names = called.__code__.co_varnames[: called.__code__.co_argcount]
        given = [*zip(names, call.args, strict=False)]
        given += [(item.arg, item.value) for item in call.keywords if item.arg]
        return frozenset(name for name, value in given if self._of(value) is Returned.MODEL)

    def _object(self, value: ast.expr) -> Any:  # noqa: ANN401 - whatever a name stands for
        """What a global name, or an attribute of it, stands for now."""
        match value:
            case ast.Name(name) if name in self._local:
                return self._local[name]()
            case ast.Name(name) if name not in self._values and name not in self._functions:
                spaces = inspect.getclosurevars(self._function)
                known = {**vars(builtins), **spaces.globals, **spaces.nonlocals}
                return known.get(name, _UNKNOWN)
            case ast.Attribute():
                owner = self._object(value.value)
                # An attribute of anything else may be a property, which runs code.
                is_plain = isinstance(owner, ModuleType | type | nn.Module)
                return getattr(owner, value.attr, _UNKNOWN) if is_plain else _UNKNOWN
        return _UNKNOWN


def _imported(module: str, name: str) -> object:
    try:
        found = importlib.import_module(module)
    except Exception:  # noqa: BLE001 - the module is the user's; its own call shows the error
        return _UNKNOWN
    return getattr(found, name, _UNKNOWN) if name else found


def _own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a body, without those of the functions and classes in it."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, _Scope):
            yield from _own_nodes(node)


def _parts(value: ast.expr) -> Sequence[ast.expr]:
    """Of which expressions the value of one is."""
    match value:
        case ast.IfExp():
            return value.body, value.orelse
        case ast.BoolOp():
            return value.values
        case ast.NamedExpr():
            return (value.value,)
        case ast.Tuple(elts=[model, _]):  # with its inputs
            return (model,)
    return ()


def _first(found: Iterable[Returned]) -> Returned:
    """The first that is a model or a function."""
    return next((item for item in found if item is not Returned.OTHER), Returned.OTHER)


def _is_constructor(called: object) -> bool:
    """Whether it makes a model: its class, or another constructor (``AutoModel.from_config``)."""
    if isinstance(called, type):
        return issubclass(called, nn.Module)
    return isinstance(called, MethodType) and isinstance(called.__self__, type)


def _of_object(value: object) -> Returned:
    if isinstance(value, nn.Module):
        return Returned.MODEL
    return Returned.FUNCTION if isinstance(value, FunctionType) else Returned.OTHER


def _returns_self(name: str) -> bool:
    """Whether a method of modules returns the module: ``eval``, ``to``, ``cuda``, ``half``."""
    if name == "to":  # all of its annotations are those of overloads
        return True
    method = getattr(nn.Module, name, None)
    hint = getattr(method, "__annotations__", {}).get("return")
    return str(hint).strip("'~") in {"T", "Self", "typing.Self", "typing_extensions.Self"}
