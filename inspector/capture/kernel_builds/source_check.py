"""Whether the source of a kernel is a kernel and nothing else.

A recording is data from somewhere else, and compiling a kernel runs its module level in Python;
Triton's compiler then evaluates the bodies and calls what they name. So a source is run only if all
of it is on the lists below, which hold what Inductor writes (torch/_inductor/codegen/triton.py,
wrapper.py): imports of torch and Triton, constants, and functions under ``triton.jit``.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

import triton
import triton.language as tl
from torch._inductor.runtime import triton_heuristics

_IMPORTED = (
    "torch._inductor.runtime.hints",
    "torch._inductor.runtime.triton_helpers",
    "torch._inductor.runtime.triton_heuristics",
    "triton.language",
)
"""Modules whose functions a kernel uses, and the modules below them."""

_PACKAGES = ("torch", "torch._inductor.runtime", "triton")
"""Modules that lead to those, of which a kernel uses only what `_NAMED` lists."""

_NAMED = frozenset({"triton.jit", "triton.cdiv", "triton.next_power_of_2"})
_HEURISTICS = frozenset({
    "cooperative_reduction", "fixed_config", "foreach", "persistent_reduction", "pointwise",
    "reduction", "split_scan", "template", "user_autotune",
})  # fmt: skip
"""Decorators of `triton_heuristics`; all that they get are values."""

_HINTS = frozenset({
    "AttrsDescriptorWrapper", "AutotuneHint", "DeviceProperties", "HeuristicType",
    "ReductionHint", "TileHint", "instance_descriptor",
})  # fmt: skip
_VALUE_CALLS = frozenset({"DeviceProperties", "instance_descriptor", "set", "float"})
_BUILTINS = frozenset({
    "bool", "float", "int", "isinstance", "len", "list", "max", "min", "print", "range", "tuple",
})  # fmt: skip
"""Not ``getattr``, which Triton has too."""

_VALUES = frozenset(
    name
    for kind in (*vars(tl).values(), *vars(tl.core).values())
    if isinstance(kind, type) and kind.__module__ == tl.core.__name__
    for name in (*dir(kind), "dtype", "element_ty", "shape", "type")
    if not name.startswith("_")
)
"""What a kernel may ask of a value: the public methods of Triton's own types."""

_JIT = triton.JITFunction.__module__
_LITERAL = (
    ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.unaryop, ast.Load,
    ast.BinOp, ast.operator,
)  # fmt: skip
_BODY = (
    *_LITERAL, ast.AnnAssign, ast.Assert, ast.Assign, ast.Attribute, ast.AugAssign, ast.BoolOp,
    ast.Break, ast.Call, ast.Compare, ast.Continue, ast.Expr, ast.For, ast.FormattedValue, ast.If,
    ast.IfExp, ast.JoinedStr, ast.Name, ast.Pass, ast.Return, ast.Slice, ast.Starred, ast.Store,
    ast.Subscript, ast.While, ast.boolop, ast.cmpop, ast.keyword,
)  # fmt: skip
_DRIVER = "torch._inductor.runtime.triton_helpers.set_driver_to_gpu"
_LITERAL_NAME = "__file__"
_READS_FILES = frozenset({"extern_elementwise"})
_REFLECTION = frozenset({"getattr", "hasattr"})
"""Of Triton's own names those that lead anywhere (`CodeGenerator.builtin_namespace`)."""


def check_source(source: str) -> Mapping[str, str]:
    """Refuses a source that could run anything but Triton's compiler.

    Returns:
        Each function's body and arguments by its name, for `check_compiled`.

    Raises:
        SyntaxError: It is no Python.
        ValueError: Something in it is not on the lists; the message has the line and its text.
    """
    tree = ast.parse(source)
    _Source().check(tree)
    return {item.name: _dump(item) for item in tree.body if isinstance(item, ast.FunctionDef)}


def check_compiled(functions: Iterable[Any], checked: Mapping[str, str]) -> None:
    """Refuses functions whose text, as Triton has read it, is not what `check_source` gave."""
    for function in functions:
        parsed = ast.parse(function.src).body
        one = parsed[0] if len(parsed) == 1 else None
        if not isinstance(one, ast.FunctionDef) or _dump(one) != checked.get(one.name):
            message = (
                f"its source contains more than a kernel, so it is not run: {function.__name__}"
            )
            raise ValueError(message)


def _dump(function: ast.FunctionDef) -> str:
    return "\n".join(map(ast.dump, (function.args, *function.body)))


class _Source:
    """The module level of a source, statement by statement, with what its names are."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}
        """Objects of names that were imported; None for constants and functions of the source."""

    def check(self, tree: ast.Module) -> None:
        functions = [item for item in tree.body if isinstance(item, ast.FunctionDef)]
        for statement in tree.body:
            match statement:
                case ast.Import() | ast.ImportFrom():
                    self._import(statement)
                case ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.Expr(value=ast.Call(func=func, args=[], keywords=[])) if (
                    self._dotted(func) == _DRIVER
                ):
                    pass
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._value(value)
                    self._names[name] = None
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._annotation(statement.annotation)
                    self._value(value)
                    self._names[name] = None
                case ast.FunctionDef(name=name):
                    self._decorators(statement)
                    self._signature(statement)
                    self._names[name] = None
                case _:
                    raise _refused(statement)
        for function in functions:  # they can call those below them
            self._body(function)

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                module = _module(alias.name, statement)
                name = alias.asname or alias.name.partition(".")[0]
                self._names[name] = module if alias.asname else _module(name, statement)
            else:
                if statement.level or statement.module is None:
                    raise _refused(statement)
                module = _module(statement.module, statement)
                member = self._member(module, alias.name, statement)
                self._names[alias.asname or alias.name] = member

    def _member(self, module: ModuleType, name: str, node: ast.AST) -> Any:
        """A name of a module on the lists, itself on them."""
        is_hidden = name.startswith("_") or name in _READS_FILES
        found = None if is_hidden else getattr(module, name, None)
        if isinstance(found, ModuleType) and _is_listed(found.__name__):
            return found
        home = getattr(found, "__module__", "")
        if (
            f"{module.__name__}.{name}" in _NAMED
            or _is_language(found)
            or (home == "torch._inductor.runtime.hints" and name in _HINTS)
            or (module is triton_heuristics and name in _HEURISTICS)
            or (module.__name__ == "torch" and type(found).__name__ == "dtype")
            or name == "set_driver_to_gpu"
        ):
            return found
        raise _refused(node)

    def _value(self, value: ast.expr) -> None:
        """An argument of a decorator, a default, a constant: literals and what the lists name."""
        parts: list[ast.expr | None] = []
        match value:
            case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
                # Triton takes the first line of a function's text that begins with `def` for the
                # function, also one within a string of a decorator.
                is_fine = value.end_lineno == value.lineno
            case ast.Name(id=name):
                is_fine = name == _LITERAL_NAME or self._names.get(name, name) is None
            case ast.Attribute():
                is_fine = not isinstance(self._resolved(value), FunctionType)
            case ast.Call(func=func, args=args, keywords=keywords):
                is_fine = self._is_constructor(func) and all(item.arg for item in keywords)
                parts = [*args, *(item.value for item in keywords)]
            case ast.Dict(keys=keys, values=values):
                is_fine = None not in keys
                parts = [*keys, *values]
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                is_fine = True
                parts = [*elements]
            case _:
                is_fine = False
        if not is_fine:
            raise _refused(value)
        for part in filter(None, parts):
            self._value(part)

    def _is_constructor(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Name) and function.id in _VALUE_CALLS:
            return self._names.get(function.id, function.id) is not None
        return self._dotted(function) == "triton.language.constexpr"

    def _decorators(self, function: ast.FunctionDef) -> None:
        """A function is compiled and never called: its last decorator is ``triton.jit``."""
        decorators = function.decorator_list
        called = [item.func if isinstance(item, ast.Call) else item for item in decorators]
        if not called or self._dotted(called[-1]) != "triton.jit":
            raise _refused(function)
        home = triton_heuristics.__name__
        for decorator, name in zip(decorators, called, strict=True):
            dotted = self._dotted(name)
            if dotted != "triton.jit" and dotted.removeprefix(f"{home}.") not in _HEURISTICS:
                raise _refused(decorator)
            if isinstance(decorator, ast.Call):
                for keyword in decorator.keywords:
                    if keyword.arg is None:
                        raise _refused(decorator)
                for item in (*decorator.args, *(keyword.value for keyword in decorator.keywords)):
                    self._value(item)

    def _signature(self, function: ast.FunctionDef) -> None:
        arguments = function.args
        for argument in _arguments(arguments):
            if argument.annotation is not None:
                self._annotation(argument.annotation)
        for default in (*arguments.defaults, *filter(None, arguments.kw_defaults)):
            self._value(default)
        if function.returns is not None:
            self._annotation(function.returns)
        if getattr(function, "type_params", None):  # Python 3.12
            raise _refused(function)

    def _annotation(self, annotation: ast.expr) -> None:
        if isinstance(annotation, ast.Constant):
            if annotation.value is None:
                return
        elif isinstance(annotation, ast.Attribute):
            self._resolved(annotation)
            return
        elif isinstance(annotation, ast.Name) and annotation.id in _BUILTINS:
            return
        raise _refused(annotation)

    def _body(self, function: ast.FunctionDef) -> None:
        nodes = [node for statement in function.body for node in ast.walk(statement)]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        own |= {item.arg for item in _arguments(function.args)}
        # Until a name is stored, Triton finds the module's or its own of that name.
        for used in names:
            is_known = self._names.get(used.id) is not None or used.id in _REFLECTION
            if used.id.startswith("__") or (used.id in own and is_known):
                raise _refused(used)
        roots = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        inner: set[int] = set()
        for node in nodes:
            if not isinstance(node, _BODY):
                raise _refused(node)
            match node:
                case ast.Attribute() if id(node) not in inner:
                    inner |= self._attribute(node, own)
                case ast.Name(id=name, ctx=ast.Load()) if id(node) not in roots:
                    self._name(node, name, own)
                case ast.AnnAssign(annotation=annotation):
                    self._annotation(annotation)
                case ast.Call(func=func) if not isinstance(func, ast.Name | ast.Attribute):
                    raise _refused(node)
                case ast.keyword(arg=None):
                    raise _refused(node)

    def _name(self, node: ast.Name, name: str, own: set[str]) -> None:
        """A bare name is a value, a function of the source, or one of Triton's."""
        if name in own:
            return
        if name in self._names:
            if self._names[name] is not None and not _is_language(self._names[name]):
                raise _refused(node)
        elif name not in _BUILTINS:
            raise _refused(node)

    def _attribute(self, node: ast.Attribute, own: set[str]) -> set[int]:
        """Checks that a chain leads to Triton's language or is a value's; gives its inner parts."""
        parts = _chain(node)
        root = parts[-1].value
        is_module = (
            isinstance(root, ast.Name)
            and root.id not in own
            and isinstance(self._names.get(root.id), ModuleType)
        )
        if not is_module:
            if isinstance(root, ast.Name):
                self._name(root, root.id, own)
            if any(part.attr not in _VALUES for part in parts):
                raise _refused(node)
        elif not _is_language(self._resolved(node)):
            raise _refused(node)
        return {id(part) for part in parts}

    def _resolved(self, node: ast.Attribute) -> Any:
        """What a dotted name means, each of its modules on the lists."""
        parts = _chain(node)
        root = parts[-1].value
        found = self._names.get(root.id) if isinstance(root, ast.Name) else None
        for part in reversed(parts):
            if isinstance(found, ModuleType):
                found = self._member(found, part.attr, node)
            elif found is tl.PropagateNan:
                found = found.__members__.get(part.attr)
            elif getattr(found, "__name__", "") in _HINTS or (
                isinstance(found, tl.dtype) and part.attr in _VALUES
            ):
                found = None if part.attr.startswith("_") else getattr(found, part.attr, None)
            else:
                raise _refused(node)
        return found

    def _dotted(self, node: ast.expr) -> str:
        """The full name of a dotted name that begins with an import, or an empty string."""
        if isinstance(node, ast.Name):
            found = self._names.get(node.id)
            home = getattr(found, "__module__", "")
            if isinstance(found, ModuleType):
                return found.__name__
            return f"{home}.{node.id}" if home and getattr(found, "__name__", "") == node.id else ""
        if isinstance(node, ast.Attribute):
            before = self._dotted(node.value)
            return f"{before}.{node.attr}" if before else ""
        return ""


def _module(name: str, node: ast.AST) -> ModuleType:
    if not _is_listed(name):
        raise _refused(node)
    return importlib.import_module(name)


def _is_listed(name: str) -> bool:
    return name in _PACKAGES or any(
        name == listed or name.startswith(f"{listed}.") for listed in _IMPORTED
    )


def _is_language(found: object) -> bool:
    """Whether Triton's compiler takes it for a part of its language."""
    is_constant = isinstance(found, tl.dtype | tl.constexpr | tl.PropagateNan)
    if is_constant or found is tl.PropagateNan or type(found).__module__ == _JIT:
        return True
    home = getattr(found, "__module__", None) or ""
    if isinstance(found, type):
        return home.startswith("triton.language")
    # Of libdevice there are stubs, which the compiler replaces by those of the target.
    return getattr(found, "__triton_builtin__", False) is True or home.endswith(".libdevice")


def _chain(node: ast.Attribute) -> list[ast.Attribute]:
    parts = [node]
    while isinstance(parts[-1].value, ast.Attribute):
        parts.append(parts[-1].value)
    return parts


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    several = [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *several]


def _refused(node: ast.AST) -> ValueError:
    text = ast.unparse(node).partition("\n")[0]
    line = getattr(node, "lineno", None)
    place = f"line {line}: " if line else ""
    return ValueError(
        f"its source contains more than a kernel, so it is not run: {place}{text[:120]}"
    )
