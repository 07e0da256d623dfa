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
from torch._inductor.runtime import triton_helpers, triton_heuristics

_IMPORTED = (
    "torch._inductor.runtime.hints",
    "torch._inductor.runtime.triton_helpers",
    "torch._inductor.runtime.triton_heuristics",
    "triton.language",
)
"""Modules whose functions a kernel uses, and the modules below them."""

_PACKAGES = ("torch", "torch._inductor.runtime", "triton")
"""Modules that lead to those, of which a kernel uses only what is listed below."""

_HEURISTICS = (
    "cooperative_reduction", "fixed_config", "foreach", "persistent_reduction", "pointwise",
    "reduction", "split_scan", "template", "user_autotune",
)  # fmt: skip
"""Decorators of `triton_heuristics`; all that they get are values."""

_DECORATORS = (
    triton.jit,
    *(vars(triton_heuristics)[name] for name in _HEURISTICS if name in vars(triton_heuristics)),
)
_FUNCTIONS = (triton.cdiv, triton.next_power_of_2)
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
_DRIVER = "set_driver_to_gpu"
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
                case ast.Expr(value=ast.Call(func=func, args=[], keywords=[])) if self._found(
                    func
                ) is getattr(triton_helpers, _DRIVER):
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
            _is_one_of(found, (*_DECORATORS, *_FUNCTIONS))
            or _is_language(found)
            or (home == "torch._inductor.runtime.hints" and name in _HINTS)
            or (module.__name__ == "torch" and type(found).__name__ == "dtype")
            or name == _DRIVER
        ):
            return found
        raise _refused(node)

    def _found(self, node: ast.expr) -> Any:
        """What a name that begins with an import means, dotted or not; None of anything else."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        owner = self._found(node.value) if isinstance(node, ast.Attribute) else None
        if owner is None or not isinstance(node, ast.Attribute):
            return None
        if isinstance(owner, ModuleType):
            return self._member(owner, node.attr, node)
        is_part = (
            (owner is tl.PropagateNan and node.attr in owner.__members__)
            or (isinstance(owner, tl.dtype) and node.attr in _VALUES)
            or (getattr(owner, "__name__", "") in _HINTS and not node.attr.startswith("_"))
        )
        if is_part and hasattr(owner, node.attr):
            return getattr(owner, node.attr)
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
                found = self._found(value)
                is_fine = found is not None and not isinstance(found, FunctionType)
            case ast.Call(func=func):
                is_fine = self._is_constructor(func)
                parts = [*_given(value)]
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
        return self._found(function) is tl.constexpr

    def _decorators(self, function: ast.FunctionDef) -> None:
        """A function is compiled and never called: its last decorator is ``triton.jit``."""
        found: Any = None
        for decorator in function.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            found = self._found(call.func if call else decorator)
            if not _is_one_of(found, _DECORATORS):
                raise _refused(decorator)
            for value in _given(call) if call else ():
                self._value(value)
        if found is not triton.jit:
            raise _refused(function)

    def _signature(self, function: ast.FunctionDef) -> None:
        arguments = function.args
        annotations = [item.annotation for item in _arguments(arguments)]
        for annotation in filter(None, (*annotations, function.returns)):
            self._annotation(annotation)
        for default in filter(None, (*arguments.defaults, *arguments.kw_defaults)):
            self._value(default)
        if getattr(function, "type_params", None):  # Python 3.12
            raise _refused(function)

    def _annotation(self, annotation: ast.expr) -> None:
        is_builtin = isinstance(annotation, ast.Name) and annotation.id in _BUILTINS
        is_imported = isinstance(annotation, ast.Attribute) and self._found(annotation) is not None
        if not (is_builtin or is_imported or ast.unparse(annotation) == "None"):
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
        for node in nodes:
            match node:
                case ast.Name() | ast.Attribute() if (found := self._found(node)) is not None:
                    is_fine = id(node) in roots or _is_language(found)
                case ast.Name(id=name):
                    is_fine = name in own or name in self._names or name in _BUILTINS
                case ast.Attribute(attr=name):
                    is_fine = name in _VALUES
                case ast.Call(func=func, keywords=keywords):
                    is_fine = isinstance(func, ast.Name | ast.Attribute)
                    is_fine &= all(item.arg for item in keywords)
                case _:
                    is_fine = isinstance(node, _BODY)
            if not is_fine:
                raise _refused(node)


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


def _is_one_of(found: object, listed: Iterable[object]) -> bool:
    return any(found is each for each in listed)


def _given(call: ast.Call) -> list[ast.expr]:
    """What a call is given; nothing may be unpacked by name."""
    if not all(item.arg for item in call.keywords):
        raise _refused(call)
    return [*call.args, *(item.value for item in call.keywords)]


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
