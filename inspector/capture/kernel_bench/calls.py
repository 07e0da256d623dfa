"""The calls of kernels and libraries in generated code: which there are, and how to be in between.

A statement of generated code that launches a kernel is ``name.run(…)`` (Triton), ``name(…)`` (C++),
``extern_kernels.mm(…)`` or ``torch.ops.aten.….default(…)`` (a library).
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, TypeAlias

from inspector.capture.profiling.wrapper_lines import generated_modules, rewritten

_CALL = "inspector_call"
_RUN = ".run"
_CPP = "cpp_"
_LIBRARIES = ("extern_kernels.", "torch.ops.", "aten.")


Place: TypeAlias = tuple[str, int]
"""A statement of generated code that launches something: the stem of its file, and its line."""
Hook: TypeAlias = Callable[[Place, Any, tuple[Any, ...], dict[str, Any]], Any]
"""Gets the place, the function that it calls, and its arguments; calls the function."""


def called_kernels() -> Mapping[str, str]:
    """What the generated code calls, in its order: ``triton``, ``cpp`` or ``library`` by name."""
    found: dict[str, str] = {}
    for module, tree in generated_modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name, kind = _called(node, module)
                if name:
                    found.setdefault(name, kind)
    return found


def _called(node: ast.Call, module: ModuleType) -> tuple[str, str]:
    name = ast.unparse(node.func)
    owner = vars(module).get(name.removesuffix(_RUN))
    if name.endswith(_RUN) and hasattr(owner, "launchers"):
        return name.removesuffix(_RUN), "triton"
    if name.startswith(_CPP) and callable(owner):
        return name, "cpp"
    return (name, "library") if name.startswith(_LIBRARIES) else ("", "")


@contextlib.contextmanager
def watched(name: str, hook: Hook) -> Iterator[None]:
    """Lets a hook make the calls of one of `called_kernels` inside of the ``with``."""

    def helper(file: str) -> Callable[..., Any]:
        def call(line: int, function: Any, *args: Any, **kwargs: Any) -> Any:
            return hook((file, line), function, args, kwargs)

        return call

    with rewritten(lambda: _Calling(name), _CALL, helper):
        yield


class _Calling(ast.NodeTransformer):
    """Puts a function of ours between the generated code and what it calls."""

    def __init__(self, name: str) -> None:
        self._names = {name, name + _RUN}

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if ast.unparse(node.func) not in self._names:
            return node
        function = ast.Name(_CALL, ast.Load())
        args = [ast.Constant(node.lineno), node.func, *node.args]
        return ast.copy_location(ast.Call(function, args, node.keywords), node)
