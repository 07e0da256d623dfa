"""Which layer of a module an argument of its ``forward`` reaches first, read from the source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING

from torch import nn

from inspector.capture.layers import layer_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEP = 12


def first_layer(module: nn.Module, parameter: str, depth: int = 0) -> nn.Module | None:
    """The layer that is called with `parameter` first, and whose kind tells what it takes.

    Where the source does not show it (a loop over layers, say), it is the module's first such
    layer. None if there is none.
    """
    if depth > _DEEP:
        return None
    if layer_inputs(module):
        return module
    if isinstance(module, nn.Sequential | nn.ModuleList):
        return _first_of(module)
    for call in _calls_with(module, parameter):
        called = _submodule(module, call.func)
        if called is not None:
            name = _parameter_of(called, call, parameter)
            found = first_layer(called, name, depth + 1)
            if found is not None:
                return found
    return _first_of(module)


def _first_of(module: nn.Module) -> nn.Module | None:
    return next((part for part in module.modules() if layer_inputs(part)), None)


def _calls_with(module: nn.Module, parameter: str) -> Iterator[ast.Call]:
    """The calls in ``forward`` that get the parameter, or what was made of it; inner ones first."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(type(module).forward)))
    except (OSError, TypeError, SyntaxError):
        return
    names = {parameter}
    for node in _in_order(tree):
        if isinstance(node, ast.Call) and _mentions(node, names):
            yield node
        elif isinstance(node, ast.Assign) and _mentions(node.value, names):
            names.update(_targets(node))


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree as they are evaluated: children before their parents."""
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)
    yield node


def _targets(node: ast.Assign) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))


def _submodule(module: nn.Module, node: ast.expr) -> nn.Module | None:
    """The module that ``self.a.b`` or ``self.a[0]`` is."""
    if isinstance(node, ast.Name):
        return module if node.id == "self" else None
    if isinstance(node, ast.Attribute):
        owner = _submodule(module, node.value)
        found = getattr(owner, node.attr, None)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner = _submodule(module, node.value)
        key = str(node.slice.value)
        found = dict(owner.named_children()).get(key) if owner is not None else None
    else:
        return None
    return found if isinstance(found, nn.Module) else None


def _parameter_of(called: nn.Module, call: ast.Call, name: str) -> str:
    """The name that the argument has inside the module that is called."""
    for keyword in call.keywords:
        if keyword.arg is not None and _mentions(keyword.value, {name}):
            return keyword.arg
    try:
        parameters = list(inspect.signature(called.forward).parameters)
    except (TypeError, ValueError):
        return name
    at = next((i for i, arg in enumerate(call.args) if _mentions(arg, {name})), 0)
    return parameters[at] if at < len(parameters) else name
